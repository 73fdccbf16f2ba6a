; The symbols of TypeScript and TSX: those of JavaScript, and types.
(class_declaration name: (type_identifier) @name) @class
(variable_declarator name: (identifier) @name value: (class)) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator name: (identifier) @name
  value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)
          (generator_function body: (_) @body)]) @function
(class_body (method_definition name: (_) @name) @method)
(class_body (public_field_definition name: (_) @name
  value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @method)
(class_body (public_field_definition name: (_) @name) @field)
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
(abstract_class_declaration name: (type_identifier) @name) @class
(method_definition name: (property_identifier) @_c parameters: (formal_parameters [
    (required_parameter (accessibility_modifier) pattern: (identifier) @name)
    (required_parameter "readonly" pattern: (identifier) @name)
    (optional_parameter (accessibility_modifier) pattern: (identifier) @name)
    (optional_parameter "readonly" pattern: (identifier) @name)] @field)
  (#eq? @_c "constructor"))
(class_body (abstract_method_signature name: (_) @name) @method)
(class_body (method_signature name: (_) @name) @method)
(function_signature name: (identifier) @name) @function
(interface_declaration name: (type_identifier) @name) @interface
(interface_body (method_signature name: (_) @name) @method)
(interface_body (property_signature name: (_) @name) @field)
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(enum_body (property_identifier) @name @constant)
(enum_body (enum_assignment name: (_) @name) @constant)
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace
(ambient_declaration (_) @wrapped) @wrap
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(expression_statement (internal_module) @wrapped) @wrap
