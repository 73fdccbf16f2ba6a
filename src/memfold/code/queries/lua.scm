; The symbols of Lua.
(function_declaration name: (identifier) @name) @function
(function_declaration name: (dot_index_expression table: (_) @scope field: (identifier) @name)) @function
(function_declaration name: (method_index_expression table: (_) @scope method: (identifier) @name)) @method
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @scope field: (identifier) @name))
  (expression_list . value: (function_definition body: (_)? @body))) @function
(assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @function
(variable_declaration (assignment_statement) @wrapped) @wrap
(field name: [(identifier) (string)] @name value: (function_definition body: (_)? @body)) @method
(chunk (assignment_statement (variable_list name: (identifier) @name)) @variable)
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name)) @variable))
((function_call name: (identifier) @_f) @import (#eq? @_f "require"))
(comment) @comment
