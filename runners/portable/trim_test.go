package portable

import (
	"encoding/hex"
	"testing"
)

// The bytes as Windows' headers lay them out.
func TestEncodeTrim(t *testing.T) {
	const want = "1c000000" + "01000000" + "00000080" + "00000000" + "00000000" + "20000000" + "10000000" + "00000000" +
		"0010000000000000" + "0000000001000000"
	if got := hex.EncodeToString(encodeTrim(4096, 1<<32)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
