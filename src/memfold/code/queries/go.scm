; The symbols of Go.
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration
  type: [(type_identifier) @scope (pointer_type (type_identifier) @scope)
         (generic_type type: (type_identifier) @scope)
         (pointer_type (generic_type type: (type_identifier) @scope))]))
  name: (field_identifier) @name) @method
(method_declaration name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type) @body) @struct
(type_spec name: (type_identifier) @name type: (interface_type) @body) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(type_declaration . [(type_spec) (type_alias)] @wrapped .) @wrap
(interface_type (method_elem name: (field_identifier) @name) @method)
(type_spec type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @field)))
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(const_declaration . (const_spec) @wrapped .) @wrap
(var_declaration . (var_spec) @wrapped .) @wrap
(import_spec) @import
(comment) @comment
