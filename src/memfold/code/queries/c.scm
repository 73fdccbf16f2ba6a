; The symbols of C.
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name))) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))) @function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @prototype
(declaration declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name))) @prototype
(declaration declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))) @prototype
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @union
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @constant
(field_declaration declarator: (field_identifier) @name) @field
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @field
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @field
(field_declaration declarator: [
  (pointer_declarator declarator: (pointer_declarator declarator: [(field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)]))
  (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (field_identifier) @name))))]) @field
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @type
(type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @type
(type_definition declarator: (function_declarator declarator: (type_identifier) @name)) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @type
(type_definition declarator: (pointer_declarator declarator: (function_declarator
  declarator: (parenthesized_declarator
    (pointer_declarator declarator: (type_identifier) @name))))) @type
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro
(declaration declarator: (identifier) @name) @variable
(declaration declarator: (pointer_declarator declarator: (identifier) @name)) @variable
(declaration declarator: (array_declarator declarator: (identifier) @name)) @variable
(declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))])) @variable
(preproc_include) @import
(comment) @comment
