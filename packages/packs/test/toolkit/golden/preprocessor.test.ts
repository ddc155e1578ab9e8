import { expect, test } from 'vitest'
import { analyse } from '../../../src/toolkit/analysis/measure/analyse.ts'
import { preprocess } from '../../../src/toolkit/analysis/preprocess/preprocess.ts'

/** Names and cyclomatic complexities, lines, and whether something was lost. */
async function measured(file: string, source: string): Promise<{ rows: [string, number, number][]; fault?: string }> {
  const language = file.endsWith('.cs') ? 'csharp' : 'cpp'
  const { functions, fault } = await analyse(file, source.replace(/^\n/, ''), language)
  return { rows: functions.map(f => [f.name, f.cyclomatic, f.line]), ...(fault && { fault: fault.reason }) }
}

test.each<[string, string, string, [string, number, number][]]>([
  [
    'alternatives that share a block',
    'a.c',
    `
int f(int a)
{
#ifdef WIN32
	if (a && b) {
#else
	if (a) {
#endif
		return 1;
	}
	return 0;
}
int g(void) { return 1; }`,
    [
      ['f', 3, 1],
      ['g', 1, 12],
    ],
  ],
  [
    'two heads for one body',
    'a.c',
    `
#if A
int f(int a)
#else
int f(long a)
#endif
{
	return a ? 1 : 0;
}`,
    [['f', 2, 2]],
  ],
  [
    'a decision that a later conditional repeats',
    'a.c',
    `
int f(int a)
{
#ifdef A
	if (a) {
#endif
#ifndef A
	while (a) {
#endif
		b();
	}
	return 0;
}
int g(void) { return 1; }`,
    [
      ['f', 2, 1],
      ['g', 1, 13],
    ],
  ],
  [
    'what is switched off, and alternatives that can be read one after the other',
    'a.c',
    `
int f(int a)
{
#if 0
	if (a) { while (a) {
#endif
#ifdef A
	if (a) return 1;
#else
	if (b) return 2;
#endif
	return 0;
}`,
    [['f', 3, 1]],
  ],
  [
    'extern "C" and include guards',
    'a.h',
    `
#ifndef A_H
#define A_H
#ifdef __cplusplus
extern "C" {
#endif
static inline int f(int new) { return new ? 1 : 2; }
#ifdef __cplusplus
}
#endif
#endif`,
    [['f', 2, 6]],
  ],
  [
    'macros between strings, types as arguments, names that are words of C++',
    'a.c',
    `
static int f(struct list *template, int class UNUSED)
{
	struct item *this = container_of(template, struct item, list);
	char *delete = va_arg(ap, const char *);
	printf("%"PRIuMAX" of %" PRIu64, make(char, 2), 3);
	log("x" FMT(a, b));
	return this && delete ? 1 : 0;
}`,
    [['f', 3, 1]],
  ],
  [
    'loops written as macros, with and without braces, and macros without a semicolon',
    'a.c',
    `
DEFINE_LIST(items, struct item)

static GIT_PATH_FUNC(path, "x")

int f(void)
{
	for_each_entry(&map, &iter, e) {
		if (e) return 1;
	}
	each(item, list)
		if (item) return 2;
	COUNTERS
	CHECK(x)
	return 0;
}

static int g(void) { return 1; }`,
    [
      ['f', 3, 5],
      ['g', 1, 17],
    ],
  ],
  [
    'words before and behind functions and classes',
    'a.h',
    `
class EXPORT Box : public Base {
 public:
  void Lock() EXCLUSIVE_LOCK(mu_) { if (a) b(); }
  explicit Box(int a) LOCKS(a) : a_(a) {}
  T** list = new T*[3];
};
static INLINE FORMAT(1, 2) const char *name(int a) { return a ? "" : 0; }
really_inline uint64_t digits(const char *p) { return (x->*y)(p) || p; }
MATCHER(IsOk, "") { return arg.ok(); }`,
    [
      ['Box::Lock', 2, 3],
      ['Box::Box', 1, 4],
      ['name', 2, 7],
      ['digits', 2, 8],
      ['MATCHER', 1, 9],
    ],
  ],
  [
    'C#',
    'a.cs',
    `
class A {
#if NET
    public int F(string a)
#else
    public int F(string? a)
#endif
    {
#region x
        var s = @"
#if not a directive";
        return a == null ? 1 : 2;
#endregion
    }
#if !NET
    int G() { if (a) { return 1; } return 2; }
#endif
}`,
    [
      ['A.F', 2, 5],
      ['A.G', 2, 15],
    ],
  ],
])('%s', async (_, file, source, rows) => {
  expect(await measured(file, source)).toEqual({ rows })
})

test('lines stay where they are, and so does everything on them', () => {
  const source =
    '#define A(x) \\\n  x\r\nint f(void)\n{\n#if 0\n  "no\n#endif\n  each(a)\n\n    b();\n}\nX(1)\n\nint y;'
  const { text } = preprocess('a.c', source, 'cpp')
  expect(text).toHaveLength(source.length)
  expect([...text.matchAll(/\n/g)].map(({ index }) => index)).toEqual(
    [...source.matchAll(/\n/g)].map(({ index }) => index),
  )
  expect(text).toContain('b();\n}')
})

test('a body that does not end where its brace is closed belongs to nobody', async () => {
  // The parser ends the first body at the first brace, whatever follows.
  const { rows, fault } = await measured('a.c', 'int f(void) { if (a) { x @ { } }\nint g(void) { return 1; }\n')
  expect(rows.map(([name]) => name)).not.toContain('f')
  expect(fault).toMatch(/^Syntax error/)
})

test.each([
  ['strings that are never closed', 'R"x( '.repeat(100_000)],
  ['comments that are never closed', '#/* '.repeat(100_000)],
  ['conditionals in conditionals', '#if A\nint a;\n'.repeat(50_000)],
  ['brackets that are never closed', 'f((((({{{{{[[['.repeat(20_000)],
  ['backslashes', '"\\'.repeat(200_000)],
  ['words without an end', 'A '.repeat(200_000)],
])('%s take no longer than others of their size', (_, source) => {
  const began = process.cpuUsage()
  expect(preprocess('a.h', source, 'cpp').text).toHaveLength(source.length)
  expect(preprocess('a.cs', source, 'csharp').text).toHaveLength(source.length)
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(10_000)
})
