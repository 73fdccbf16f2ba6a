; The symbols of Dart.
(class_definition name: (identifier) @name) @class
(mixin_declaration . (mixin) . (identifier) @name (class_body) @body) @mixin
(extension_declaration name: (identifier) @name) @extension
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @constant
(type_alias . (type_identifier) @name . ["=" (type_parameters)]) @type
(type_alias (type_identifier) @name . (type_parameters)? . (formal_parameter_list)) @type
((function_signature name: (identifier) @name) @function . (function_body) @body)
(program (function_signature name: (identifier) @name) @function)
(program ((getter_signature name: (identifier) @name) @function . (function_body) @body))
(program ((setter_signature name: (identifier) @name) @function . (function_body) @body))
((method_signature [(function_signature name: (identifier) @name) (getter_signature name: (identifier) @name)
    (setter_signature name: (identifier) @name)]) @method . (function_body) @body)
((method_signature (operator_signature (binary_operator) @name)) @method . (function_body) @body)
((method_signature (constructor_signature . (identifier) @name (identifier)? @name)) @constructor . (function_body) @body)
((method_signature (factory_constructor_signature (identifier) @name (identifier)? @name)) @constructor . (function_body) @body)
(declaration [(function_signature name: (identifier) @name) (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)]) @method
(declaration [(constructor_signature . (identifier) @name (identifier)? @name)
  (constant_constructor_signature (const_builtin) . (identifier) @name (identifier)? @name)
  (redirecting_factory_constructor_signature (identifier) @name (identifier)? @name)]) @constructor
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @field
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @variable)
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)) @variable)
(annotation) @attr
(import_or_export) @import
[(comment) (documentation_comment)] @comment
