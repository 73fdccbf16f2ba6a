; The symbols of C#.
(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace
(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(struct_declaration name: (identifier) @name) @struct
(record_declaration name: (identifier) @name) @record
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @constant
(delegate_declaration name: (identifier) @name) @delegate
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @constructor
(destructor_declaration name: (identifier) @name) @destructor
(property_declaration name: (identifier) @name accessors: (_) @body) @property
(property_declaration name: (identifier) @name) @property
(indexer_declaration "this" @name) @property
(operator_declaration operator: _ @name) @operator
(conversion_operator_declaration type: (_) @name) @operator
(event_declaration name: (identifier) @name) @event
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @event
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(local_function_statement name: (identifier) @name) @function
(using_directive) @import
(comment) @comment
