/** Languages whose names have no types. */
export const python = `
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(assignment left: (identifier) @name) @assigned
(assignment left: (pattern_list (identifier) @name)) @assigned
(assignment left: (attribute object: (identifier) @owner attribute: (identifier) @name)
  (#eq? @owner "self")) @field
(type_alias_statement left: (type (identifier) @name)) @type`

/** How definitions are found in PHP. */
export const php = `
(namespace_definition name: (_) @name) @namespace
(function_definition name: (_) @name) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(enum_case name: (_) @name) @enumerator
(method_declaration name: (_) @name) @method
(property_declaration (property_element name: (variable_name (name) @name)) @field)
(property_promotion_parameter name: (variable_name (name) @name)) @field
(const_element (name) @name) @constant`

const ACCESSORS = '"^(?:attr_accessor|attr_reader|attr_writer|define_method)$"'

/** How definitions are found in Ruby. */
export const ruby: string = `
(class name: (_) @name) @class
(module name: (_) @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
(assignment left: (left_assignment_list (constant) @name)) @constant
(call method: (identifier) @callee arguments: (argument_list (simple_symbol) @name @attribute)
  (#match? @callee ${ACCESSORS}))
(call method: (identifier) @callee arguments: (argument_list . (simple_symbol) @name)
  (#eq? @callee "alias_method")) @method
(alias name: (_) @name) @method`

/** How definitions are found in Shell. */
export const shell = `
(function_definition name: (_) @name) @function
(variable_assignment name: (variable_name) @name) @assigned`
