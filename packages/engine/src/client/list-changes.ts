/** The lists that notifications tell of, by method. */
export const LISTS: Readonly<Record<string, 'tools' | 'prompts' | 'resources'>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
}
