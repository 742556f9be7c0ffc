package workloads

// exponential draws from the exponential distribution of mean 1.
func exponential(d *draw) float64 { return -ln(d.unit()) }

const (
	ln2      = 0.693147180559945309417232121458
	rootHalf = 0.707106781186547524400844362105
)

// ln is the natural logarithm of x, which must be normal and above 0, to
// within 1e-15 of its size or 1e-16. math.Log is assembly on some machines and
// Go code that may fuse operations on others, so its last bit, and with it a
// schedule, would depend on the machine. Every product here is rounded by an
// explicit conversion.
func ln(x float64) float64 {
	exp, m := 0, x
	for m < rootHalf {
		m *= 2
		exp--
	}
	for m >= 2*rootHalf {
		m /= 2
		exp++
	}
	// ln m = 2 artanh(s), s at most 0.172: eleven terms suffice.
	s := (m - 1) / (m + 1)
	square := float64(s * s)
	sum := 0.0
	for k := 21; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(2*s*sum) + float64(float64(exp)*ln2)
}
