package report

// Picture is one figure of a report: one panel, or several side by side that
// share a legend.
type Picture struct {
	// Name is unique in the report and safe in file names.
	Name string
	// Theme is how the picture's files are laid out.
	Theme           Theme
	Title, Subtitle string
	// Desc tells a reader who cannot see the picture what it shows.
	Desc   string
	Panels []Panel
	Legend []Entry
	// LegendTitle says what the legend lists.
	LegendTitle string
	// Notes say what could not be drawn, or how to read what was.
	Notes []string
}

// Theme is how pictures are laid out in files of their own; in a page they are
// always as on paper.
type Theme string

// The themes.
const (
	Paper Theme = ""      // for a column of text
	Slide Theme = "slide" // for a screen, 16 by 9, with large letters
)

// Panel is one pair of axes.
type Panel struct {
	X, Y  Axis
	Lines []Line
	// Empty says why there is nothing to draw; it is shown in the data's place.
	Empty string
	// Limit draws a constraint on y across the panel, Floor one on x up it.
	Limit, Floor *Limit
	// Break is where the y axis ends and marks beyond it stand, not to scale; 0
	// where there is none.
	Break float64
	// Choices are what the panel can show, on the same x axis; the first is Lines.
	// Without any there is no choice. Quantity is of what kind y is.
	Choices  []Choice
	Quantity string
	// Front are the points that no other beats in both metrics, by rising x.
	Front []Point
}

// Choice is lines that a reader can choose to see in a panel over a linear x axis.
type Choice struct {
	// Name is what is chosen, such as max; Label names the y axis, without a unit.
	Name, Label string
	Lines       []Line
}

// Limit is a constraint on an axis, in base units. One that lies far off is not
// on the axis: Off is then -1 below it or 1 above.
type Limit struct {
	At    float64
	Label string
	Off   int
}

// Axis is an axis in base units with its ticks.
type Axis struct {
	Label    string
	Min, Max float64
	Log      bool
	Ticks    []Tick
}

// Tick is a mark on an axis; one without a label is minor.
type Tick struct {
	At    float64
	Label string
}

// Line is a run of points in drawing order.
type Line struct {
	// Style is a Setting's style, or Plain for a light line that only leads the
	// eye from one setting to the next, or Unjoined.
	Style  int
	Points []Point
}

// Styles that are not a setting's.
const (
	Plain    = -1
	Unjoined = -2
	Frontier = -3
)

// Point is one mark with its intervals.
type Point struct {
	X, Y  Span
	Style int
	// Hollow marks a published figure that was not measured here.
	Hollow bool
	// Bare points have no mark: they only lead the line.
	Bare bool
	// AtLeast marks a lower bound of Y.
	AtLeast bool
	// Beyond points stand above the panel's Break: they are far above all others.
	Beyond bool
	// AtMost marks an upper bound of Y, AtMostX one of X: both are of rates.
	AtMost, AtMostX bool
	// Label is drawn beside the mark where there is room, Text is the whole of
	// what the mark says.
	// Detail is Text with intervals, trials and the proof of effect, in lines.
	Label, Text, Detail string
	// Gap breaks the line before this point.
	Gap bool
}

// Span is a median and its interval in base units.
type Span struct{ Low, Mid, High float64 }

// Entry is one line of a legend.
type Entry struct {
	Label  string
	Style  int
	Hollow bool
	// Joined draws the line beside the mark.
	Joined bool
}

// All lists every picture of a workload, in the report's order.
func (w *Workload) All() []*Picture {
	var all []*Picture
	for _, pictures := range [][]Picture{w.Pictures, w.Distributions, w.Progress} {
		for i := range pictures {
			all = append(all, &pictures[i])
		}
	}
	return all
}
