import type { Language } from '../parse/grammar.ts'

// Captures: @name is what is defined, the other one is what kind of thing it is; @import is what another file is named by.
const SCRIPT = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: [(identifier) (import)] @callee arguments: (arguments . (string) @import))
`
const TYPES = `
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @namespace
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: (arrow_function)) @method
`

/** How definitions and imports are found in each language. */
export const QUERIES: Readonly<Record<Language, string>> = {
  javascript: SCRIPT,
  typescript: SCRIPT + TYPES,
  tsx: SCRIPT + TYPES,
  python: `
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(module (expression_statement (assignment left: (identifier) @name) @constant))
(import_statement) @import
(import_from_statement) @import`,
  rust: `
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(union_item name: (_) @name) @union
(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @impl
(type_item name: (_) @name) @type
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
(mod_item name: (_) @name body: (_)) @module
(macro_definition name: (_) @name) @macro
(mod_item name: (_) @import !body)
(use_declaration argument: (_) @import)`,
  go: `
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(type_spec name: (_) @name) @type
(source_file (const_declaration (const_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @variable))
(import_spec path: (_) @import)`,
  java: `
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @record
(annotation_type_declaration name: (_) @name) @interface
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(field_declaration declarator: (variable_declarator name: (_) @name)) @field
(import_declaration) @import`,
  csharp: `
(namespace_declaration name: (_) @name) @namespace
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @record
(delegate_declaration name: (_) @name) @delegate
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(property_declaration name: (_) @name) @property
(local_function_statement name: (_) @name) @function
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field`,
  cpp: `
(function_definition declarator: (function_declarator declarator: (_) @name)) @function
(function_definition declarator: (_ (function_declarator declarator: (_) @name))) @function
(function_definition declarator: (_ (_ (function_declarator declarator: (_) @name)))) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @union
(enum_specifier name: (_) @name body: (_)) @enum
(type_definition declarator: (type_identifier) @name) @type
(alias_declaration name: (_) @name) @type
(namespace_definition name: (_) @name) @namespace`,
  php: `
(function_definition name: (_) @name) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(const_element (name) @name) @constant
(include_expression (string) @import)
(include_once_expression (string) @import)
(require_expression (string) @import)
(require_once_expression (string) @import)`,
  ruby: `
(class name: (_) @name) @class
(module name: (_) @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
(call method: (identifier) @callee arguments: (argument_list . (string) @import))`,
}
