; The symbols of Ruby.
(module name: (_) @name) @module
(class name: (_) @name) @class
(singleton_class value: (_) @name) @class
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
(alias name: (_) @name) @method
(call method: (identifier) @_m arguments: (argument_list . [(simple_symbol) (string)] @name)
  (#eq? @_m "alias_method")) @method
(call method: (identifier) @_m arguments: (argument_list [(simple_symbol) (string)] @name)
  (#match? @_m "^(attr_(reader|writer|accessor)|define_method)$")) @attribute
(body_statement (identifier) @hide (#match? @hide "^(private|protected)$"))
(call !receiver method: (identifier) @_m (#match? @_m "^require(_relative)?$")) @import
(comment) @comment
