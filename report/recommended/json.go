package recommended

import (
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/recommendation"
)

type answer struct {
	Tunables   []string    `json:"tunables"`
	Workload   string      `json:"workload"`
	Load       string      `json:"load"`
	Goal       string      `json:"goal"`
	Margin     float64     `json:"margin"`
	Sentence   string      `json:"sentence"`
	Default    string      `json:"default"`
	Reason     string      `json:"reason"`
	Ties       []string    `json:"ties"`
	NotApart   []string    `json:"not_told_apart"`
	ByMean     string      `json:"by_mean"`
	Exceptions []exception `json:"exceptions"`
	Decided    bool        `json:"decided"`
	Open       []string    `json:"open"`
	Values     []value     `json:"values"`
}

type exception struct {
	Model string  `json:"model"`
	Value string  `json:"value"`
	Loss  float64 `json:"default_loses"`
}

type value struct {
	Value   string        `json:"value"`
	Label   string        `json:"label"`
	Worst   results.Float `json:"worst_loss"`
	Mean    results.Float `json:"mean_loss"`
	Devices []loses       `json:"devices"`
}

type loses struct {
	Model   string        `json:"model"`
	Run     string        `json:"run"`
	Figure  results.Float `json:"figure"`
	Bound   bool          `json:"figure_is_bound,omitempty"`
	Loss    float64       `json:"loss"`
	Lo      results.Float `json:"loss_lo"`
	Hi      results.Float `json:"loss_hi"`
	State   string        `json:"limits"`
	Outcome string        `json:"against_best,omitempty"`
}

func answerOf(r *recommendation.Recommendation) answer {
	a := answer{
		Tunables: r.Tunables, Workload: r.Goal.Workload, Load: r.Load, Goal: Goal(r.Goal), Margin: r.Margin, Sentence: r.Sentence(),
		Default: r.Default, Reason: r.Reason, Ties: append([]string{}, r.Ties...), NotApart: append([]string{}, r.NotApart...), ByMean: r.ByMean, Exceptions: []exception{},
		Decided: r.Decided, Open: append([]string{}, r.Open...),
	}
	for _, e := range r.Exceptions {
		a.Exceptions = append(a.Exceptions, exception(e))
	}
	for _, v := range r.Values {
		out := value{Value: v.Name, Label: v.Label, Worst: v.Worst, Mean: v.Mean, Devices: []loses{}}
		for _, d := range r.Devices {
			if g, ok := d.Regrets[v.Name]; ok {
				out.Devices = append(out.Devices, loses{d.Model, d.Run, g.Center, g.Bound, g.Loss, g.Lo, g.Hi, string(g.State), string(g.Outcome)})
			}
		}
		a.Values = append(a.Values, out)
	}
	return a
}
