package portable

import "encoding/binary"

// Windows' request to trim one range, winioctl.h: the header
// DEVICE_MANAGE_DATA_SET_ATTRIBUTES of 28 bytes, and at the next multiple of 8
// one DEVICE_DATA_SET_RANGE of an offset and a length.
const (
	ioctlDataSet   = 0x2d9404 // IOCTL_STORAGE_MANAGE_DATA_SET_ATTRIBUTES
	dataSetHeader  = 28
	dataSetRangeAt = 32
	dataSetBytes   = 48
	dataSetTrim    = 1 // DeviceDsmAction_Trim
	// dataSetUnused is DEVICE_DSM_FLAG_TRIM_NOT_FS_ALLOCATED: no file system has
	// the range. A disk with a volume on it is refused, so that is so.
	dataSetUnused = 1 << 31
)

func encodeTrim(off, n int64) []byte {
	b := make([]byte, dataSetBytes)
	word := binary.LittleEndian.PutUint32
	word(b[0:], dataSetHeader)
	word(b[4:], dataSetTrim)
	word(b[8:], dataSetUnused)
	word(b[20:], dataSetRangeAt)
	word(b[24:], dataSetBytes-dataSetRangeAt)
	binary.LittleEndian.PutUint64(b[dataSetRangeAt:], uint64(off))
	binary.LittleEndian.PutUint64(b[dataSetRangeAt+8:], uint64(n))
	return b
}
