/** Languages that are compiled, each with its types. `@declarator` holds the name somewhere inside. */
export const rust = `
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(enum_variant name: (_) @name) @enumerator
(union_item name: (_) @name) @union
(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @impl
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
(field_declaration name: (_) @name) @field
(mod_item name: (_) @name body: (_)) @module
(macro_definition name: (_) @name) @macro
(mod_item name: (_) @name !body) @required`

/** How definitions are found in Go. */
export const go = `
(function_declaration name: (_) @name) @function
(method_declaration receiver: (_) @owner name: (_) @name) @method
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(method_elem name: (_) @name) @method
(field_declaration name: (_) @name) @field
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration [(var_spec name: (_) @name) @variable
  (var_spec_list (var_spec name: (_) @name) @variable)]))`

/** How definitions are found in Java. */
export const java = `
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_constant name: (_) @name) @enumerator
(record_declaration name: (_) @name) @record
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @field))
(annotation_type_declaration name: (_) @name) @interface
(annotation_type_element_declaration name: (_) @name) @method
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(compact_constructor_declaration name: (_) @name) @constructor
(field_declaration declarator: (variable_declarator name: (_) @name)) @field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant`

/** How definitions are found in C#. */
export const csharp = `
(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_member_declaration name: (_) @name) @enumerator
(record_declaration name: (_) @name) @record
(delegate_declaration name: (_) @name) @delegate
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(destructor_declaration name: (_) @name) @method
(property_declaration name: (_) @name) @property
(event_declaration name: (_) @name) @event
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @event
(local_function_statement name: (_) @name) @function
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field`

/** How definitions are found in C and C++. */
export const cpp = `
(function_definition declarator: (_) @declarator) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @union
(enum_specifier name: (_) @name body: (_)) @enum
(enumerator name: (_) @name) @enumerator
(type_definition declarator: (_) @declarator) @type
(alias_declaration name: (_) @name) @type
(namespace_definition name: (_) @name) @namespace
(field_declaration declarator: (_) @declarator) @field
(field_declaration_list (declaration declarator: (_) @declarator) @field)
(translation_unit (declaration declarator: (_) @declarator) @variable)
(declaration_list (declaration declarator: (_) @declarator) @variable)
(template_declaration (declaration declarator: (_) @declarator) @variable)`
