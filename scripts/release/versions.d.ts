export function manifestFiles(): readonly string[]
export function commonVersion(): string
export function notesFor(version: string, changelog?: string): string
