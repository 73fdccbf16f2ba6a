; The symbols of PHP.
(namespace_definition name: (_) @name body: (_)) @namespace
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @constant
(method_declaration name: (name) @name) @method
(function_definition name: (name) @name) @function
(property_declaration (property_element name: (variable_name (name) @name))) @field
(const_declaration (const_element . (name) @name)) @constant
(function_call_expression function: (name) @_f arguments: (arguments . (argument (string) @name))
  (#eq? @_f "define")) @constant
(namespace_use_declaration) @import
(comment) @comment
