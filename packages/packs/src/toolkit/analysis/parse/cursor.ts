import type { Tree } from '@vscode/tree-sitter-wasm'

/** Walks over a tree. */
export interface Cursor {
  type(): number
  field(): number
  start(): number
  end(): number
  isMissing(): boolean
  toFirstChild(): boolean
  toNextSibling(): boolean
  toParent(): boolean
  close(): void
}

type Step = (tree: number) => number

/** The part of the parser's module, as it is inside, that moves a cursor over the tree at an address. */
export interface Raw {
  readonly _ts_tree_cursor_current_node_type_id_wasm: Step
  readonly _ts_tree_cursor_current_field_id_wasm: Step
  readonly _ts_tree_cursor_start_index_wasm: Step
  readonly _ts_tree_cursor_end_index_wasm: Step
  readonly _ts_tree_cursor_current_node_is_missing_wasm: Step
  readonly _ts_tree_cursor_goto_first_child_wasm: Step
  readonly _ts_tree_cursor_goto_next_sibling_wasm: Step
  readonly _ts_tree_cursor_goto_parent_wasm: Step
  readonly _ts_tree_cursor_delete_wasm: Step
}

const STEPS: readonly (keyof Raw)[] = [
  '_ts_tree_cursor_current_node_type_id_wasm',
  '_ts_tree_cursor_current_field_id_wasm',
  '_ts_tree_cursor_start_index_wasm',
  '_ts_tree_cursor_end_index_wasm',
  '_ts_tree_cursor_current_node_is_missing_wasm',
  '_ts_tree_cursor_goto_first_child_wasm',
  '_ts_tree_cursor_goto_next_sibling_wasm',
  '_ts_tree_cursor_goto_parent_wasm',
  '_ts_tree_cursor_delete_wasm',
]

/** A cursor on the root, the fast one if the parser's module is as we know it. */
export function openCursor(tree: Tree, raw: Partial<Raw>): Cursor {
  const address = (tree as unknown as { 0: unknown })[0]
  const isKnown = typeof address === 'number' && STEPS.every(step => typeof raw[step] === 'function')
  return isKnown ? new RawCursor(tree, address, raw as Raw) : publicCursor(tree)
}

/**
 * The public cursor copies its state into the parser's memory and back at every step, which takes as long as the parsing
 * itself. The state is there already, so the steps are taken there. Nothing else may be asked of the parser until this
 * cursor is closed: they share the place.
 */
class RawCursor {
  readonly #address: number
  readonly #raw: Raw

  constructor(tree: Tree, address: number, raw: Raw) {
    tree.walk()
    this.#address = address
    this.#raw = raw
  }

  type(): number {
    return this.#raw._ts_tree_cursor_current_node_type_id_wasm(this.#address)
  }

  field(): number {
    return this.#raw._ts_tree_cursor_current_field_id_wasm(this.#address)
  }

  start(): number {
    return this.#raw._ts_tree_cursor_start_index_wasm(this.#address)
  }

  end(): number {
    return this.#raw._ts_tree_cursor_end_index_wasm(this.#address)
  }

  isMissing(): boolean {
    return this.#raw._ts_tree_cursor_current_node_is_missing_wasm(this.#address) === 1
  }

  toFirstChild(): boolean {
    return this.#raw._ts_tree_cursor_goto_first_child_wasm(this.#address) === 1
  }

  toNextSibling(): boolean {
    return this.#raw._ts_tree_cursor_goto_next_sibling_wasm(this.#address) === 1
  }

  toParent(): boolean {
    return this.#raw._ts_tree_cursor_goto_parent_wasm(this.#address) === 1
  }

  close(): void {
    this.#raw._ts_tree_cursor_delete_wasm(this.#address)
  }
}

function publicCursor(tree: Tree): Cursor {
  const cursor = tree.walk()
  return {
    type: () => cursor.nodeTypeId,
    field: () => cursor.currentFieldId,
    start: () => cursor.startIndex,
    end: () => cursor.endIndex,
    isMissing: () => cursor.nodeIsMissing,
    toFirstChild: () => cursor.gotoFirstChild(),
    toNextSibling: () => cursor.gotoNextSibling(),
    toParent: () => cursor.gotoParent(),
    close: () => cursor.delete(),
  }
}
