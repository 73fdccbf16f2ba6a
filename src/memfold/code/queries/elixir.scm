; The symbols of Elixir. All definitions are calls: one pattern tells many kinds by the word (@by),
; because each pattern is tried at every call.
(call target: (identifier) @by (arguments . (alias) @name) (do_block . (unary_operator)? @doc) @body
  (#any-of? @by "defmodule" "defprotocol" "defimpl")) @module
; `defimpl` without a block of its own.
(call target: (identifier) @by (arguments . (alias) @name) (#eq? @by "defimpl")) @module
; An operator is its own name; `when` is the guard of what stands before it.
(call target: (identifier) @by (arguments . [(call target: (identifier) @name) (identifier) @name
    (binary_operator left: [(call target: (identifier) @name) (identifier) @name
      (binary_operator operator: _ @name) (unary_operator operator: _ @name)] operator: "when")
    (binary_operator operator: _ @name) (unary_operator operator: _ @name)])
  (do_block)? @body (#not-eq? @name "when")
  (#any-of? @by "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate")) @function
(call target: (identifier) @name (#any-of? @name "defstruct" "defexception")) @struct
(unary_operator operator: "@" operand: (call target: (identifier) @by (arguments .
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))
  (#any-of? @by "type" "typep" "opaque" "callback" "macrocallback")) @type
((unary_operator operator: "@" operand: (call target: (identifier) @_t)) @attr
  (#any-of? @_t "spec" "impl" "deprecated" "since" "dialyzer"))
((unary_operator operator: "@" operand: (call target: (identifier) @_t)) @comment
  (#any-of? @_t "doc" "typedoc"))
((call target: (identifier) @_t) @import (#any-of? @_t "import" "alias" "use" "require"))
(comment) @comment
