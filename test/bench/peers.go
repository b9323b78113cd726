package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// peerRounds is the number of rounds at each number of clients. In a round the node and the peer take turns, so that a
// disturbance of the machine affects both.
const peerRounds = 3

// Peers compares taps that are waited for with transactions of Formance Ledger on the same PostgreSQL server.
type Peers struct {
	Version string      `json:"version"` // of Formance Ledger
	Rates   []PeerRates `json:"rates"`
}

// PeerRates are the rates per second in each round, at a number of clients.
type PeerRates struct {
	Concurrency int       `json:"concurrency"`
	WalletTap   []float64 `json:"walletTapPerSecond"`
	Tap         []float64 `json:"tapPerSecond"`
	Peer        []float64 `json:"peerPerSecond"`
}

func (r *run) peers(ctx context.Context) (err error) {
	if r.meter.database == nil {
		return errors.New("--peer needs the database of the node: name it with --database-url")
	}
	r.options.Progress("build and start Formance Ledger")
	peer, err := startFormance(ctx, r.options.Peer, r.meter.database, r.target.DatabaseURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, peer.stop(ctx)) }()
	if err := r.onboard(ctx, r.wallets); err != nil {
		return err
	}
	result := &Peers{Version: peer.version}
	for _, concurrency := range r.options.Concurrency {
		rates := PeerRates{Concurrency: concurrency}
		if err := r.peerRounds(ctx, peer, &rates); err != nil {
			return err
		}
		result.Rates = append(result.Rates, rates)
	}
	r.report.Peers = result
	return nil
}

// peerRounds measures each way of all rounds after a warm-up.
func (r *run) peerRounds(ctx context.Context, peer *formance, rates *PeerRates) error {
	wallets := r.wallets[:rates.Concurrency]
	walletTap, err := r.operation("peers", ScenarioWalletTap, ModeWait, wallets)
	if err != nil {
		return err
	}
	tap, err := r.operation("peers", ScenarioTap, ModeWait, wallets)
	if err != nil {
		return err
	}
	ways := []struct {
		name  string
		do    operation
		rates *[]float64
	}{
		{"taps by the wallet's route", walletTap, &rates.WalletTap},
		{"Formance Ledger", peer.transact, &rates.Peer},
		{"taps by /v2", tap, &rates.Tap},
		{"Formance Ledger", peer.transact, &rates.Peer},
	}
	for round := range peerRounds + 1 {
		until := bound{duration: r.options.Duration, operations: r.options.Count}
		if round == 0 {
			until.duration = min(warmUpDuration, until.duration)
		}
		for _, way := range ways {
			measured, err := closedLoop(ctx, rates.Concurrency, until, way.do)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			if measured.refused > 0 {
				return fmt.Errorf("%s: %d refusals, such as: %w", way.name, measured.refused, measured.refusal)
			}
			r.options.Progress(fmt.Sprintf("%d clients, round %d of %d: %s: %.0f per second", rates.Concurrency, round,
				peerRounds, way.name, measured.perSecond()))
			if round > 0 {
				*way.rates = append(*way.rates, measured.perSecond())
			}
		}
	}
	return nil
}

func mean(rates []float64) float64 {
	total := 0.0
	for _, rate := range rates {
		total += rate
	}
	return total / float64(len(rates))
}

// spreadOf is the difference of the highest and the lowest rate, in percent of the mean.
func spreadOf(rates []float64) string {
	return fmt.Sprintf("%.0f %%", (slices.Max(rates)-slices.Min(rates))/mean(rates)*percent)
}

func (r *Report) printPeers(w io.Writer, p *Peers) {
	writeText(w, "\nWaited for, on the same PostgreSQL server: rates per second, the mean of %d rounds, and their spread",
		peerRounds)
	line(w, "clients", "wallet tap", "", "tap by /v2", "", "Formance Ledger "+p.Version, "", "wallet tap, times",
		"tap by /v2, times")
	for _, rates := range p.Rates {
		walletTap, tap, peer := mean(rates.WalletTap), mean(rates.Tap), mean(rates.Peer)
		line(w, strconv.Itoa(rates.Concurrency), rate(&walletTap), spreadOf(rates.WalletTap), rate(&tap),
			spreadOf(rates.Tap), rate(&peer), spreadOf(rates.Peer),
			fmt.Sprintf("%.1f", walletTap/peer), fmt.Sprintf("%.1f", tap/peer))
	}
}
