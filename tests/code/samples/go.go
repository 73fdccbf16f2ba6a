// Package shop sells things.
package shop

import (
	"fmt"
	"strings"
)

const Limit = 10

const (
	first = iota
	Second
)

var registry = map[string]int{}

// Basket holds what is bought.
type Basket struct {
	Items []string
	total int
}

type Seller interface {
	Sell(name string) error
}

type price = int

// Add puts one in.
func (b *Basket) Add(name string) {
	b.Items = append(b.Items, name)
}

func (s stack[T]) push(v T) {}

type stack[T any] struct{ all []T }

// New makes an empty one.
func New() *Basket { return &Basket{} }

func helper(a, b int) (int, error) {
	return fmt.Println(strings.ToUpper("x"))
}
