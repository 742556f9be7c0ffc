package report

import "strconv"

// FiguresCurves are the lines of a picture's panels, for a page that draws them
// anew by another statistic or on another axis.
type FiguresCurves struct {
	// Name is the picture's.
	Name   string         `json:"name"`
	Title  string         `json:"title"`
	Panels []FiguresPanel `json:"panels"`
}

// FiguresPanel is a pair of axes: x as it is drawn, y of the Quantity's kind.
type FiguresPanel struct {
	Label    string          `json:"x"`
	Min      float64         `json:"min"`
	Max      float64         `json:"max"`
	Ticks    []FiguresTick   `json:"ticks"`
	Quantity string          `json:"q"`
	Choices  []FiguresChoice `json:"choices"`
}

// FiguresTick is a tick of the x axis.
type FiguresTick struct {
	At    Brief  `json:"v"`
	Label string `json:"t"`
}

// FiguresChoice is the lines of one choice.
type FiguresChoice struct {
	Name  string        `json:"name,omitempty"`
	Label string        `json:"y"`
	Lines []FiguresLine `json:"lines"`
}

// FiguresLine is a setting's line in base units. Marks are the words of the points
// that have a mark, by their place.
type FiguresLine struct {
	Style int            `json:"s"`
	X     []Brief        `json:"x"`
	Y     []Brief        `json:"y"`
	Marks map[int]string `json:"t,omitempty"`
}

// Brief is a number that is only drawn: four digits are more than a screen shows.
type Brief float64

// MarshalJSON writes it as a JSON number.
func (b Brief) MarshalJSON() ([]byte, error) {
	v, err := strconv.ParseFloat(strconv.FormatFloat(float64(b), 'g', 4, 64), 64)
	return strconv.AppendFloat(nil, v, 'g', -1, 64), err
}

// curvesOf lists what a page can draw anew of some pictures of lines.
func curvesOf(pictures []Picture) (all []FiguresCurves) {
	for i := range pictures {
		p := &pictures[i]
		c := FiguresCurves{Name: p.Name, Title: p.Title}
		for k := range p.Panels {
			c.Panels = append(c.Panels, p.Panels[k].figures())
		}
		all = append(all, c)
	}
	return all
}

func (p *Panel) figures() FiguresPanel {
	out := FiguresPanel{Label: p.X.Label, Min: p.X.Min, Max: p.X.Max, Quantity: p.Quantity}
	for _, t := range p.X.Ticks {
		out.Ticks = append(out.Ticks, FiguresTick{Brief(t.At), t.Label})
	}
	for _, c := range p.Choices {
		choice := FiguresChoice{Name: c.Name, Label: c.Label}
		for _, l := range c.Lines {
			choice.Lines = append(choice.Lines, l.figures())
		}
		out.Choices = append(out.Choices, choice)
	}
	return out
}

func (l *Line) figures() FiguresLine {
	out := FiguresLine{Style: l.Style}
	for i := range l.Points {
		p := &l.Points[i]
		out.X, out.Y = append(out.X, Brief(p.X.Mid)), append(out.Y, Brief(p.Y.Mid))
		if !p.Bare {
			if out.Marks == nil {
				out.Marks = map[int]string{}
			}
			out.Marks[i] = p.Text
		}
	}
	return out
}
