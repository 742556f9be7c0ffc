package workloads_test

import (
	"fmt"

	"github.com/iosweep/iosweep/workloads"
)

func ExampleNewStream() {
	spec := workloads.Spec{
		Name:   "oltp",
		Sizes:  []workloads.SizeShare{{Bytes: 8 << 10}},
		Mix:    workloads.Mix{Read: 70, Write: 30},
		Access: workloads.Access{Random: 1},
		Rate:   1000,
	}
	stream, err := workloads.NewStream(spec, workloads.Geometry{SizeBytes: 1 << 40, BlockBytes: 512}, 42)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.Summary())
	var op workloads.Op
	for range 3 {
		stream.Next(&op)
		fmt.Println(op.At, op.Kind, op.Off, op.Len)
	}
	// Output:
	// random 8 KiB, 70 % reads / 30 % writes, 1000/s
	// 455.503µs write 762367787008 8192
	// 1.020672ms read 378393935872 8192
	// 1.053991ms read 767876907008 8192
}
