import { expect, test } from 'vitest'
import { analyse } from '../../../src/toolkit/analysis/measure/analyse.ts'
import { functionsOf, rowsOf } from './golden.ts'

test('Go: switches, select, labels, goto, closures, receivers', async () => {
  expect(
    await rowsOf(
      'go',
      `
package main

func (s *Store) Find(a, b int, names ...string) (x int, err error) {
outer:
	for i := 0; i < a; i++ {                    // +1
		for _, n := range names {               // +2
			if n == "x" && i > 2 {              // +3, && +1
				continue outer                  // +1
			} else if b > 1 {                   // +1
				goto end                        // +1
			} else {                            // +1
				break
			}
		}
	}
	switch v := any(a).(type) {                 // +1
	case int, string:
	case bool:
	default:
	}
	select {                                    // +1
	case <-ch:
	default:
	}
	func() { if a > b { panic(a) } }()          // closure: +1, Find: +2
end:
	return s.Find(a, b)                         // recursion +1
}

func Max[T int | float64](a, b T) T {
	switch {                                    // +1
	case a > b:
		return a
	}
	return b
}`,
    ),
  ).toEqual([
    ['Store.Find', 9, 16, 3, 3, 3],
    ['<anonymous>', 2, 1, 1, 0, 25],
    ['Max', 2, 1, 1, 2, 30],
  ])
})

test('Java: old and new switches, guards, lambdas, anonymous classes, labels', async () => {
  expect(
    await rowsOf(
      'java',
      `
class Service {
  Service(int a) { this.a = a; }
  @Override
  static <T> int pick(final int a, String... b) throws E {
    outer:
    for (String s : b) {                              // +1
      do { a--; } while (a > 0);                      // +2
      if (a > 1 && s != null || b == null) {          // +2, two kinds +2
        continue outer;                               // +1
      } else if (a > 3) break;                        // +1
      else { a = 2; }                                 // +1
    }
    switch (a) {                                      // +1
      case 1: case 2: break;
      default: run();
    }
    return switch (b) {                               // +1
      case Integer i when i > 0 -> 1;
      case String x -> 2;
      default -> b == null ? 3 : 4;                   // +2
    };
  }
  void later() {
    Runnable r = () -> { if (a > 1) { go(); } };      // r: +1, later: +2
    new Thread() { public void run() { try { go(); } catch (E | F e) { } } };  // run: +1, later: +2
  }
  int over(int a) { return over("x"); }
  int over(String a) { return 1; }
  interface I { void none(); default void some() { some(); } }
}`,
    ),
  ).toEqual([
    ['Service.Service', 1, 0, 0, 1, 2],
    ['Service.pick', 13, 14, 2, 2, 4],
    ['Service.later', 1, 4, 0, 0, 23],
    ['r', 2, 1, 1, 0, 24],
    ['run', 2, 1, 1, 0, 25],
    ['Service.over', 1, 0, 0, 1, 27],
    ['Service.over', 1, 0, 0, 1, 28],
    ['I.some', 1, 1, 0, 0, 29],
  ])
})

test('C#: properties, accessors, patterns, filters, switch expressions, local functions', async () => {
  expect(
    await rowsOf(
      'csharp',
      `
class Order {
  public Order(int a) : base(a) { }
  int Total { get { return a ?? 0; } set => total = value > 0 ? value : 0; }
  int Twice => Total > 1 ? 2 : 1;
  public static Order operator +(Order a, Order b) => a;
  async Task<int> Run<T>(int a, string b, params string[] c) {
    foreach (var s in c) {                             // +1
      if (a > 1 && s != null || b is null) continue;   // +2, two kinds +2
      else if (a > 2) { goto end; }                    // +1, goto +1
      else { a = 1; }                                  // +1
    }
    switch (a) {                                       // +1
      case 1: case 2: break;
      case int n when n > 3: break;
      default: break;
    }
    var r = o switch { 1 => 2, int k when k > 0 => 3, _ => 4 };  // +1
    try { await Run<T>(1, b); }                        // recursion +1
    catch (E e) when (e.Fatal) { }                     // +1
    bool Local(int w) { return w is > 0 and < 10 or 20; }  // Local: two kinds 2, Run: +2
    q ??= 3;
  end:
    return 1;
  }
  abstract void None();
}`,
    ),
  ).toEqual([
    ['Order.Order', 1, 0, 0, 1, 2],
    ['Total.get', 2, 0, 0, 0, 3],
    ['Total.set', 2, 1, 0, 0, 3],
    ['Order.Twice', 2, 1, 0, 0, 4],
    ['Order.operator +', 1, 0, 0, 2, 5],
    ['Order.Run', 16, 14, 2, 3, 6],
    ['Local', 3, 2, 0, 1, 20],
  ])
})

test('C and C++: methods in and out of their class, operators, lambdas, alternative tokens', async () => {
  expect(
    await rowsOf(
      'cpp',
      `
class Box {
public:
  Box(int a) : size(a) {}
  ~Box() {}
  virtual int none() const = 0;
  bool operator==(const Box& o) { return a && b; }
};
int Box::fit(int a, char *b, ...) {
  for (auto& q : w) {                       // +1
    if (a and b or not q) continue;         // +2, two kinds +2
    else if (b) goto end;                   // +1, goto +1
    else a = 1;                             // +1
  }
  do { a--; } while (a);                    // +1
  switch (a) { case 1: case 2: break; default: run(); }  // +1
  try { this->fit(a, b); }                  // recursion +1
  catch (const E& e) { } catch (...) { }    // +1 +1
  auto less = [&](int x, int y) { return x < y ? x : y; };  // less: 1, fit: +2
end:
  return 0;
}
static int *none(void) { return 0; }
`,
    ),
  ).toEqual([
    ['Box::Box', 1, 0, 0, 1, 3],
    ['Box::~Box', 1, 0, 0, 0, 4],
    ['Box::operator==', 2, 1, 0, 1, 6],
    ['Box::fit', 11, 15, 2, 2, 8],
    ['less', 2, 1, 0, 2, 18],
    ['none', 1, 0, 0, 0, 22],
  ])
})

test('C and C++: the preprocessor decides nothing, and a macro is neither a function nor part of a name', async () => {
  expect(
    await rowsOf(
      'cpp',
      `
int total(list_t *list) {
#if defined(A) && !defined(B) || C
  if (!list) return 0;                      // +1
#elif defined(D) && D > 2
  check(list && list->next);                // && +1
#endif
  each(item, list) {                        // whatever it is, it is no function
    if (item->odd) continue;                // +1
  }
  struct Local { Local() { if (x) y(); } };
  return 1;
}
`,
    ),
  ).toEqual([
    ['total', 4, 5, 1, 1, 1],
    ['Local::Local', 2, 1, 1, 0, 10],
  ])
  const { functions } = await analyse('sample', 'int EXPORT open_it(int a) { return a; }\n', 'cpp')
  expect(functions.map(f => f.name)).toEqual(['open_it'])
})

test('PHP: elseif and else if, match, null coalescing, closures, jumps out of two loops', async () => {
  expect(
    await rowsOf(
      'php',
      `
<?php
class P {
  static function go(array $xs, ?string $b = null): int {
    foreach ($xs as $k => $x) {                     // +1
      if ($x && $b || !$x and $k) continue 2;       // +2, three kinds +3, continue +1
      elseif ($b ?? 1) { goto end; }                // +1, goto +1
      else if ($c) {}                               // +1
      else { break; }                               // +1
    }
    do { } while ($a);                              // +1
    switch ($a) { case 1: case 2: break; default: } // +1
    $r = match(true) { 1, 2 => 'a', default => 'b' };  // +1
    try { self::go($xs); } catch (E | F $e) { }     // recursion +1, catch +1
    $f = fn($y) => $y ? 1 : 2;                      // f: +1, go: +2
    end:
    return 1;
  }
}
function top(&$a) { return "a {$a['b']}"; }`,
    ),
  ).toEqual([
    ['P::go', 14, 18, 2, 2, 3],
    ['$f', 2, 1, 0, 1, 14],
    ['top', 1, 0, 0, 1, 19],
  ])
})

test('Ruby: modifiers, unless, rescue, pattern matching, lambdas', async () => {
  expect(
    await rowsOf(
      'ruby',
      `
module M
  class C
    def initialize(a, b = 2, *rest, k: 1, &blk)
      @a = a
    end
    def self.go(xs)
      xs.each do |x|
        next if x && a || b             # +1, two kinds +2
        unless x then y end             # +1
        if a then 1 elsif b then 2 else 3 end  # +1 +1 +1
      end
      until b do c end                  # +1
      begin; 1; rescue E => e; 2; end   # +1
      case a when 1, 2 then 3 else 4 end  # +1
      case a                            # +1
      in [x, y] if x then 1
      in z then 2
      end
      f = ->(y) { y if z }              # f: +1, go: +2
      h ||= a ? 1 : 2                   # +1
      go(1)                             # recursion +1
    end
  end
end`,
    ),
  ).toEqual([
    ['C.initialize', 1, 0, 0, 5, 3],
    ['C.go', 15, 15, 1, 1, 6],
    ['f', 2, 1, 1, 1, 19],
  ])
})

test.each([
  // func ( , { return +   add a b int int a b
  ['go', 'package m\nfunc add(a, b int) int { return a + b }', [6, 4, 6, 7, 43.19, 5.25, 226.72, 88.41, 1]],
  // int ( int , int { return + ;   add a b a b
  ['java', 'class A {\n  int add(int a, int b) { return a + b; }\n}', [7, 3, 9, 5, 46.51, 5.83, 271.29, 88.19, 1]],
  ['csharp', 'class A {\n  int add(int a, int b) { return a + b; }\n}', [7, 3, 9, 5, 46.51, 5.83, 271.29, 88.19, 1]],
  ['cpp', 'int\nadd(int a, int b) { return a + b; }', [7, 3, 9, 5, 46.51, 5.83, 271.29, 88.19, 1]],
] as const)('Halstead and maintainability of %s', async (language, source, expected) => {
  const [add] = await functionsOf(language, source)
  expect([...Object.values(add?.halstead ?? {}), add?.maintainability, add?.lines]).toEqual(expected)
  expect(add?.line).toBe(2)
})
