; The symbols of Elixir.
(call target: (identifier) @_t (arguments (alias) @name)
  (do_block . (unary_operator operand: (call target: (identifier) @_d)) @doc)
  (#eq? @_t "defmodule") (#eq? @_d "moduledoc")) @module
(call target: (identifier) @_t (arguments . (alias) @name) (do_block) @body (#eq? @_t "defmodule")) @module
(call target: (identifier) @_t (arguments . (alias) @name) (do_block) @body (#eq? @_t "defprotocol")) @protocol
(call target: (identifier) @_t (arguments . (alias) @name) (#eq? @_t "defimpl")) @implementation
; An operator is its own name; `when` is the guard of what stands before it.
(call target: (identifier) @_t (arguments . [(call target: (identifier) @name) (identifier) @name
    (binary_operator left: [(call target: (identifier) @name) (identifier) @name
      (binary_operator operator: _ @name)] operator: "when")
    (binary_operator operator: _ @name)])
  (do_block)? @body (#not-eq? @name "when") (#match? @_t "^defp?$")) @function
(call target: (identifier) @_t (arguments . [(call target: (identifier) @name) (identifier) @name
    (binary_operator left: [(call target: (identifier) @name) (identifier) @name
      (binary_operator operator: _ @name)] operator: "when")
    (binary_operator operator: _ @name)])
  (do_block)? @body (#not-eq? @name "when") (#match? @_t "^(defmacrop?|defguardp?)$")) @macro
(call target: (identifier) @_t (arguments . (call target: (identifier) @name)) (#eq? @_t "defdelegate")) @function
(call target: (identifier) @name (#match? @name "^(defstruct|defexception)$")) @struct
(unary_operator operator: "@" operand: (call target: (identifier) @_t (arguments
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))
  (#match? @_t "^(type|typep|opaque)$")) @type
(unary_operator operator: "@" operand: (call target: (identifier) @_t (arguments
    (binary_operator left: (call target: (identifier) @name))))
  (#match? @_t "^(callback|macrocallback)$")) @callback
((unary_operator operator: "@" operand: (call target: (identifier) @_t)) @attr
  (#match? @_t "^(spec|impl|deprecated|since|dialyzer)$"))
((unary_operator operator: "@" operand: (call target: (identifier) @_t)) @comment
  (#match? @_t "^(doc|typedoc)$"))
((call target: (identifier) @_t) @import (#match? @_t "^(import|alias|use|require)$"))
(comment) @comment
