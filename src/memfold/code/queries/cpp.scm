; The symbols of C++: those of C, and classes, namespaces and templates.
(field_declaration_list (function_definition declarator: [
  (function_declarator declarator: [(field_identifier) (identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (operator_cast) @name]) @method)
(field_declaration_list [(field_declaration declarator: [
    (function_declarator declarator: [(field_identifier) (identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))])
  (declaration declarator: [
    (function_declarator declarator: [(identifier) (destructor_name) (operator_name)] @name)
    (reference_declarator (function_declarator declarator: (operator_name) @name))])] @method)
(field_declaration_list (template_declaration [
  (function_definition declarator: (function_declarator declarator: [(field_identifier) (identifier) (operator_name)] @name))
  (declaration declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))] @method))
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier scope: (_) @scope name: [(identifier) (destructor_name) (operator_name)] @name))) @method
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier name: (qualified_identifier scope: (_) @scope
    name: [(identifier) (destructor_name) (operator_name)] @name)))) @method
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: (_) @scope
    name: [(identifier) (destructor_name) (operator_name)] @name))))) @method
(function_definition declarator: [
  (pointer_declarator declarator: (function_declarator
    declarator: (qualified_identifier scope: (_) @scope name: [(identifier) (operator_name)] @name)))
  (reference_declarator (function_declarator
    declarator: (qualified_identifier scope: (_) @scope name: [(identifier) (operator_name)] @name)))]) @method
(function_definition declarator: (function_declarator declarator: [(identifier) (operator_name)] @name)) @function
(function_definition declarator: (reference_declarator
  (function_declarator declarator: [(identifier) (operator_name)] @name))) @function
(declaration declarator: (reference_declarator
  (function_declarator declarator: [(identifier) (operator_name)] @name))) @prototype
(class_specifier name: (_) @name body: (_)) @class
(template_declaration [(function_definition) (class_specifier) (struct_specifier) (declaration)
  (alias_declaration)] @wrapped) @wrap
(namespace_definition name: (_) @name) @namespace
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @concept
(declaration declarator: (init_declarator declarator: (reference_declarator (identifier) @name))) @variable
(using_declaration) @import
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
