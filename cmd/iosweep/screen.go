package main

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// redrawEvery is how often a screen is drawn anew. Twice a second cost 3 to 8 % of
// 80,000 reads a second on two processors; once a second cost nothing that six
// pairs of runs could tell at 250,000 a second (median ratio 1.01).
const redrawEvery = time.Second

// screen shows a board on the whole of a terminal while a run goes on. It reads
// no keys and heeds no signals, which stay the run's, and asks the terminal
// nothing, since nobody would read what it answers.
type screen struct {
	program *tea.Program
	done    chan struct{}
}

// newScreen takes the terminal over until close.
func newScreen(terminal *os.File, b *board) *screen {
	s := &screen{done: make(chan struct{})}
	s.program = tea.NewProgram(boardModel{board: b}, tea.WithOutput(terminal), tea.WithInput(nil),
		tea.WithoutSignalHandler(), tea.WithFPS(int(time.Second/redrawEvery)))
	go func() {
		defer close(s.done)
		s.program.Run() //nolint:errcheck // a terminal that cannot be drawn on is no reason to end a run
	}()
	return s
}

// close gives the terminal back as it was.
func (s *screen) close() {
	s.program.Quit()
	<-s.done
}

// boardModel lets a board be drawn by the clock.
type boardModel struct {
	board         *board
	width, height int
}

type redraw time.Time

func again() tea.Cmd { return tea.Tick(redrawEvery, func(t time.Time) tea.Msg { return redraw(t) }) }

// Init starts the clock.
func (m boardModel) Init() tea.Cmd { return again() }

// Update takes the terminal's new size, and goes on at each beat of the clock.
func (m boardModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case redraw:
		return m, again()
	}
	return m, nil
}

// View draws the board, once the terminal's size is known.
func (m boardModel) View() tea.View {
	v := tea.NewView("")
	if m.width > 0 {
		v.SetContent(m.board.view(time.Now(), m.width, m.height))
	}
	v.AltScreen = true
	return v
}
