/** The type of the values that a JSON Schema literal describes; what it cannot follow is `unknown`. */
export type Infer<S, Root = S> = S extends boolean
  ? S extends false
    ? never
    : unknown
  : S extends { readonly const: infer C }
    ? C
    : S extends { readonly enum: readonly (infer E)[] }
      ? E
      : S extends { readonly $ref: infer R }
        ? Referred<R, Root>
        : Typed<S, Root> & OneOf<S, Root> & AllOf<S, Root>

type Referred<R, Root> = R extends `#/$defs/${infer N}`
  ? Root extends { readonly $defs: infer D }
    ? N extends keyof D
      ? Infer<D[N], Root>
      : unknown
    : unknown
  : unknown

type OneOf<S, Root> = S extends { readonly anyOf: readonly (infer A)[] } | { readonly oneOf: readonly (infer A)[] }
  ? A extends unknown
    ? Infer<A, Root>
    : never
  : unknown

type AllOf<S, Root> = S extends { readonly allOf: readonly [infer First, ...infer Rest] }
  ? Infer<First, Root> & AllOf<{ readonly allOf: Rest }, Root>
  : unknown

type Typed<S, Root> = S extends { readonly type: infer T }
  ? T extends readonly (infer Each)[]
    ? OfType<Each, S, Root>
    : OfType<T, S, Root>
  : S extends { readonly properties: unknown }
    ? ObjectOf<S, Root>
    : unknown

type OfType<T, S, Root> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? ListOf<S, Root>
          : T extends 'object'
            ? ObjectOf<S, Root>
            : unknown

type ListOf<S, Root> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? [...{ -readonly [I in keyof P]: Infer<P[I], Root> }, ...(S extends { readonly items: false } ? [] : unknown[])]
  : S extends { readonly items: infer I }
    ? Infer<I, Root>[]
    : unknown[]

type RequiredOf<S> = S extends { readonly required: readonly (infer N)[] } ? N : never

type ObjectOf<S, Root> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: Infer<P[K], Root> } & {
        -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: Infer<P[K], Root>
      } & { [K in Exclude<RequiredOf<S>, keyof P> & string]: unknown }
    >
  : S extends { readonly additionalProperties: infer A extends object }
    ? { [name: string]: Infer<A, Root> }
    : RequiredOf<S> extends never
      ? object
      : { [K in RequiredOf<S> & string]: unknown }

type Flat<T> = { [K in keyof T]: T[K] }
