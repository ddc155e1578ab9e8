// The rows that every sample starts with: two organizations, and people with different rights in them.

export const [ANN, BOB, MIA, ROOT, SAM] = [1, 2, 3, 4, 5]

const user = (id, name, role, org_id) => ({
  id,
  name,
  email: `${name}@example.com`,
  role,
  org_id,
  is_active: true,
  password_hash: `hash of ${name}`,
  version: 1,
})

export const rows = {
  users: [
    user(ANN, 'ann', 'member', 1),
    user(BOB, 'bob', 'member', 2),
    user(MIA, 'mia', 'manager', 1),
    user(ROOT, 'root', 'admin', 1),
    user(SAM, 'sam', 'support', 1),
  ],
  memberships: [
    { id: 1, user_id: ANN, org_id: 1, role: 'member' },
    { id: 2, user_id: MIA, org_id: 1, role: 'manager' },
    { id: 3, user_id: ROOT, org_id: 1, role: 'owner' },
    { id: 4, user_id: BOB, org_id: 2, role: 'owner' },
  ],
  // Bob made the third for an organization that he has left.
  projects: [
    { id: 1, org_id: 1, owner_id: ANN, name: 'alpha' },
    { id: 2, org_id: 2, owner_id: BOB, name: 'beta' },
    { id: 3, org_id: 1, owner_id: BOB, name: 'gamma' },
  ],
  comments: [
    { id: 1, project_id: 1, author_id: ANN, text: 'hello' },
    { id: 2, project_id: 2, author_id: BOB, text: 'secret' },
  ],
  invoices: [
    { id: 1, owner_id: ANN, org_id: 1, total: 100, status: 'open', note: 'first' },
    { id: 2, owner_id: BOB, org_id: 2, total: 200, status: 'open', note: 'first' },
    { id: 3, owner_id: MIA, org_id: 1, total: 300, status: 'open', note: 'other' },
  ],
  documents: [
    { id: 1, owner_id: ANN, org_id: 1, title: 'a', status: 'draft', deleted_at: null },
    { id: 2, owner_id: BOB, org_id: 2, title: 'b', status: 'draft', deleted_at: null },
    { id: 3, owner_id: ANN, org_id: 1, title: 'c', status: 'draft', deleted_at: 1 },
    { id: 4, owner_id: MIA, org_id: 1, title: 'd', status: 'submitted', deleted_at: null },
    { id: 5, owner_id: ANN, org_id: 1, title: 'e', status: 'submitted', deleted_at: null },
  ],
  vouchers: [{ id: 1, code: 'A', used_by: null }],
  files: [
    { id: 1, owner_id: ANN, name: 'a.txt', key: 'key-a' },
    { id: 2, owner_id: BOB, name: 'b.txt', key: 'key-b' },
  ],
  identities: [{ id: 1, user_id: ANN, issuer: 'https://idp.example', subject: 'ann-1' }],
  products: [{ id: 1, name: 'pen', price: 50 }],
}
