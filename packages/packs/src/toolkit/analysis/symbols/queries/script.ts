// What makes an assigned value a function or a class.
const VALUE = '[(arrow_function) (function_expression) (generator_function) (class)]'
const REQUIRED =
  '[(call_expression function: [(identifier) (import)] @requirer) (member_expression object: (call_expression function: (identifier) @requirer))]'

/** JavaScript, and what TypeScript shares with it. */
const SCRIPT = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: ${VALUE}) @function
(variable_declarator name: (identifier) @name value: ${REQUIRED}) @required
(program [(lexical_declaration (variable_declarator name: (identifier) @name) @constant)
  (variable_declaration (variable_declarator name: (identifier) @name) @variable)])
(program (export_statement [(lexical_declaration (variable_declarator name: (identifier) @name) @constant)
  (variable_declaration (variable_declarator name: (identifier) @name) @variable)]))
(assignment_expression left: (identifier) @name right: ${VALUE}) @function
(assignment_expression left: (member_expression object: (_) @owner property: (_) @name) right: ${VALUE}) @method
(assignment_expression left: (member_expression object: (_) @owner property: (_) @name)
  right: (assignment_expression right: ${VALUE})) @method
(pair key: [(property_identifier) (string) (private_property_identifier)] @name value: ${VALUE}) @method
(function_expression name: (_) @name) @function
(generator_function name: (_) @name) @function
(class name: (_) @name) @class
`
const FIELDS = `
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
(field_definition property: (_) @name) @field
`
const TYPES = `
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body (property_identifier) @name @enumerator)
(enum_body (string) @name @enumerator)
(enum_assignment name: (_) @name) @enumerator
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(interface_body (property_signature name: (_) @name) @property)
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @property))
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: (_) @name) @field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @field
(ambient_declaration [(lexical_declaration (variable_declarator name: (identifier) @name) @constant)
  (variable_declaration (variable_declarator name: (identifier) @name) @variable)])
(internal_module body: (statement_block (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name) @constant))))
`

/** How definitions are found in JavaScript. */
export const javascript: string = SCRIPT + FIELDS
/** How definitions are found in TypeScript. */
export const typescript: string = SCRIPT + TYPES
