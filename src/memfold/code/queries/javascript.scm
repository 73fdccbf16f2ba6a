; The symbols of JavaScript and JSX.
(class_declaration name: (identifier) @name) @class
(variable_declarator name: (identifier) @name value: (class)) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name
  value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)
          (generator_function body: (_) @body)]) @function
(class_body (method_definition name: (_) @name) @method)
(class_body (field_definition property: (_) @name
  value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @method)
(class_body (field_definition property: (_) @name) @field)
(object (method_definition name: (property_identifier) @name) @method)
(pair key: (property_identifier) @name
  value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)
          (generator_function body: (_) @body)]) @method
(assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @scope
    property: (property_identifier) @_prototype) property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_prototype "prototype")) @method
(assignment_expression
  left: (member_expression object: (_) @scope property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)
          (class body: (_) @body)]) @function
(assignment_expression left: (identifier) @name
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)
          (generator_function body: (_) @body) (class body: (_) @body)]) @function
(assignment_expression
  left: [(member_expression property: (property_identifier) @name) (identifier) @name]
  right: (assignment_expression right: [(function_expression body: (_) @body)
    (arrow_function body: (_) @body)])) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (identifier) @name) @variable))
(export_statement declaration: (variable_declaration
  (variable_declarator name: (identifier) @name) @variable))
(export_statement declaration: (_) @wrapped) @wrap
(export_statement value: (_) @wrapped) @wrap
(export_statement "default" @name value: [(arrow_function) (function_expression) (class)]) @function
(export_clause (export_specifier name: (identifier) @all))
(lexical_declaration (variable_declarator) @wrapped) @wrap
(variable_declaration (variable_declarator) @wrapped) @wrap
(program (import_statement) @import)
(comment) @comment
