import { expect, test } from 'vitest'
import { functionsOf, rowsOf } from './golden.ts'

test('match arms and guards decide, the wildcard does not', async () => {
  expect(
    await rowsOf(
      'rust',
      `
fn classify(n: i32) -> &'static str {
    match n {                 // cognitive +1
        0 => "zero",          // decision
        1 | 2 => "few",       // decision
        x if x < 0 => "neg",  // decision, and its guard
        _ => "many",
    }
}`,
    ),
  ).toEqual([['classify', 5, 1, 1, 1, 1]])
})

test('every kind of branch: if let, let else, while let, loop, for, ?', async () => {
  expect(
    await rowsOf(
      'rust',
      `
pub async fn work(items: &[Item], limit: usize) -> Result<(), Error> {
    let Some(first) = items.first() else {   // +1
        return Ok(());
    };
    if let Some(x) = first.value() {         // +1
        use_it(x)?;                          // decision only
    } else if limit > 3 {                    // +1
        other();
    } else {                                 // +1
        nothing();
    }
    'outer: loop {                           // +1
        while let Some(q) = next() {         // +2
            if q && limit > 1 || first {     // +3, +2 for two kinds of operators
                break 'outer;                // +1
            }
            continue;
        }
        for _ in 0..3 {}                     // +2
    }
}`,
    ),
  ).toEqual([['work', 11, 15, 3, 2, 1]])
})

test('let chains are chains of one operator', async () => {
  expect(
    await rowsOf(
      'rust',
      'fn chain(a: Option<i32>, b: bool) -> bool { if let Some(x) = a && b && x > 1 { true } else { false } }',
    ),
  ).toEqual([['chain', 4, 3, 1, 2, 1]])
})

test('methods carry their type, closures count one level deeper', async () => {
  expect(
    await rowsOf(
      'rust',
      `
impl<T> Stack<T> {
    pub fn depth(&self, n: u32, _: &str) -> u32 {
        let add = |a: u32, b: u32| if a > b { a } else { b };  // add: 2, depth: +3
        add(n, 1)
    }
    fn twice(&self) -> u32 { self.twice() + Self::depth(self, 1, "") }
}
trait Named {
    fn name(&self) -> String;
    fn shout(&self) -> String { self.name() }
}
fn outer() { fn inner() { loop {} } }`,
    ),
  ).toEqual([
    ['Stack::depth', 1, 3, 0, 3, 2],
    ['add', 2, 2, 1, 2, 3],
    ['Stack::twice', 1, 1, 0, 1, 6],
    ['Named::shout', 1, 0, 0, 1, 10],
    ['outer', 1, 2, 0, 0, 12],
    ['inner', 2, 1, 1, 0, 12],
  ])
})

test('what a macro is given is no code of the function', async () => {
  expect(await rowsOf('rust', 'fn log(a: bool) { println!("{}", a && b); assert!(a || c); }')).toEqual([
    ['log', 1, 0, 0, 1, 1],
  ])
})

test('lines run from the name to the last brace', async () => {
  const [f] = await functionsOf('rust', '#[inline]\nfn f() {\n  1;\n}\n')
  expect([f?.line, f?.end_line, f?.lines]).toEqual([2, 4, 3])
})

test('Halstead', async () => {
  const [f] = await functionsOf('rust', 'fn add(a: i32, mut b: i32) -> i32 { b += a; b }')
  // operators: fn ( : i32 , mut : i32 -> i32 { += ;  operands: add a b b a b
  expect(f?.halstead).toMatchObject({ operators: 13, distinct_operators: 10, operands: 6, distinct_operands: 3 })
})
