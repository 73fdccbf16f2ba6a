; The symbols of Python.
(class_definition name: (identifier) @name
  body: (block . (expression_statement (string) @doc))) @class
(class_definition name: (identifier) @name) @class
(class_definition body: (block (function_definition name: (identifier) @name
  body: (block . (expression_statement (string) @doc))) @method))
(class_definition body: (block (function_definition name: (identifier) @name) @method))
(class_definition body: (block (decorated_definition
  definition: (function_definition name: (identifier) @name
    body: (block . (expression_statement (string) @doc))) @method)))
(class_definition body: (block (decorated_definition
  definition: (function_definition name: (identifier) @name) @method)))
(function_definition name: (identifier) @name
  body: (block . (expression_statement (string) @doc))) @function
(function_definition name: (identifier) @name) @function
(decorated_definition definition: (_) @wrapped) @wrap
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @field))
(module (type_alias_statement left: (type) @name) @type)
(module (expression_statement (assignment left: (identifier) @_all right: (_) @all))
  (#eq? @_all "__all__"))
(module [(import_statement) (import_from_statement) (future_import_statement)] @import)
(comment) @comment
