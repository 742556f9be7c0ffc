package hist

type Hist struct{}
