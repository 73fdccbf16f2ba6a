; The symbols of Bash.
(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)
((command name: (command_name) @_c) @import (#match? @_c "^(source|\\.)$"))
((command name: (command_name) @_c argument: [(concatenation (word) @name) (word) @name]) @alias (#eq? @_c "alias"))
(comment) @comment
