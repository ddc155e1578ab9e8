const THREATS = 'security threat vulnerability authorization access control'

/** What people call what these tools do. */
export const KEYWORDS: Readonly<Record<string, string>> = {
  tmkb_query: `${THREATS} review check my design code risks attack mistake flaw mitigation secure multi-tenant api login permissions roles jwt background jobs`,
  tmkb_get: `${THREATS} one pattern by its id details full mitigation example`,
  tmkb_list: `${THREATS} all patterns known catalog which`,
  tmkb_validate: `${THREATS} is my pattern yaml file valid contribute`,
  tmkb_schema: `${THREATS} fields format of a pattern write a new one`,
}
