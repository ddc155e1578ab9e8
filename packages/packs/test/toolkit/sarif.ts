type Json = Readonly<Record<string, unknown>>

const LEVELS = ['none', 'note', 'warning', 'error']

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Collects what is wrong. */
class Check {
  readonly problems: string[] = []

  need(isRight: boolean, what: string): void {
    if (!isRight) this.problems.push(what)
  }

  object(value: unknown, what: string): Json {
    this.need(isObject(value), `${what} must be an object`)
    return isObject(value) ? value : {}
  }

  message(value: unknown, what: string): void {
    const { text } = this.object(value, what)
    this.need(typeof text === 'string' && text !== '', `${what}.text must be a string`)
  }

  locations(value: unknown, what: string): void {
    for (const place of list(value)) {
      const physical = this.object(this.object(place, what).physicalLocation, `${what}.physicalLocation`)
      const { uri } = this.object(physical.artifactLocation, `${what}.artifactLocation`)
      const isUri = typeof uri === 'string' && URL.canParse(uri, 'file:///') && !/[\s"<>\\^`{|}]/.test(uri)
      this.need(isUri, `${what}.uri must be a URI`)
      const { startLine = 1 } = this.object(physical.region ?? {}, `${what}.region`)
      this.need(Number.isInteger(startLine) && Number(startLine) >= 1, `${what}.startLine must be a line`)
    }
  }
}

/** What in a document breaks SARIF 2.1.0: the members its schema requires, and the rules we could break. */
export function sarifProblems(document: unknown): string[] {
  const check = new Check()
  const { version, runs } = check.object(document, 'document')
  check.need(version === '2.1.0', 'version must be 2.1.0')
  check.need(Array.isArray(runs), 'runs must be an array')
  for (const run of list(runs)) checkRun(check, check.object(run, 'run'))
  return check.problems
}

function checkRun(check: Check, { tool, results, invocations }: Json): void {
  const { name, rules } = check.object(check.object(tool, 'tool').driver, 'driver')
  const ids = list(rules).map(rule => check.object(rule, 'rule').id)
  check.need(typeof name === 'string' && name !== '', 'driver.name must be a string')
  check.need(new Set(ids).size === ids.length && ids.every(id => typeof id === 'string'), 'rules must have own ids')
  check.need(Array.isArray(results), 'results must be an array')
  for (const item of list(results)) {
    const { message, level, ruleId, ruleIndex, locations } = check.object(item, 'result')
    check.message(message, 'result.message')
    check.need(LEVELS.includes(String(level)), 'result.level must be a level')
    check.need(ids[Number(ruleIndex)] === ruleId, 'result.ruleIndex must lead to the rule')
    check.locations(locations, 'result.location')
  }
  for (const item of list(invocations)) {
    const { executionSuccessful, toolExecutionNotifications } = check.object(item, 'invocation')
    check.need(typeof executionSuccessful === 'boolean', 'invocation.executionSuccessful must be entry')
    for (const entry of list(toolExecutionNotifications)) {
      const { message, locations } = check.object(entry, 'notification')
      check.message(message, 'notification.message')
      check.locations(locations, 'notification.location')
    }
  }
}
