; The symbols of Scala.
(class_definition name: (identifier) @name) @class
(object_definition name: (identifier) @name) @object
(package_object name: (_) @name) @object
(trait_definition name: (identifier) @name) @trait
(enum_definition name: (identifier) @name) @enum
(simple_enum_case name: (identifier) @name) @constant
(full_enum_case name: (identifier) @name) @constant
(template_body [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @method)
(enum_body (function_definition name: (_) @name) @method)
(with_template_body [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @method)
(class_parameter ["val" "var"] name: (identifier) @name) @field
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(template_body [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)
  (val_declaration name: (identifier) @name) (var_declaration name: (identifier) @name)] @field)
(template_body (type_definition name: (type_identifier) @name) @type)
(compilation_unit [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)] @variable)
(compilation_unit (type_definition name: (type_identifier) @name) @type)
(given_definition name: (_) @name) @given
(import_declaration) @import
[(comment) (block_comment)] @comment
