import { wordsOf } from './words.ts'

/** Words that say nothing about what is being built. */
export const COMMON: ReadonlySet<string> = new Set(
  wordsOf(
    'a about all already also am an and any are as at be because been before but by can come did do does done down each ' +
      'else enough even every for from get go had has have he her his how i if in instead into is it its just keep let ' +
      'like may me more most must my need never new no none not nothing now of off ok on one only or other our out over own ' +
      'per please put same she should so some still such than that the their them then there they thing this those to ' +
      'too up us use using very via want was we were what when where whether which while who whose why will with without ' +
      'would you your add allow app application build code create implement make project provide set simple support ' +
      'write',
  ),
)

/** Words of any program: alone they are no sign of a threat. */
export const GENERIC: ReadonlySet<string> = new Set(
  wordsOf(
    'access address agent amount api archive array async atomic average batch binary block body bot bucket button bulk ' +
      'browser byte cache caching call callback card change character chart check child class cli click client closed cloud ' +
      'collection color column command comment complete component concurrent concurrency config connection console ' +
      'constant container content controller convert count cron csv css current custom dashboard data database date day ' +
      'debug decorator default delete deploy department detail directory disable disabled display docker document domain ' +
      'download draft edit element email endpoint engine entry enum env error event exception export expression external ' +
      'fail fast fetch field file filter filename folder font footer form format frontend function game generate get ' +
      'graph grid handler header helper hidden hide hook html http icon id image import inbox index inline integration input install ' +
      'integer internal isolate isolation item iterate job join json key label language large last layout leak leave length ' +
      'library line link list load local log logging loop map mark markdown match matrix memory menu merge message method ' +
      'metric middleware migration mixin mobile mock model module month move mutation name navigation nested network next ' +
      'node number object one open operation option order output package page parallel parameter parent parse parser patch ' +
      'path pattern pdf pending photo picture pipeline plan platform plot plugin point policy pool price print process ' +
      'product profile program progress prop public publish push python quantity query queue quota race random range ' +
      'rate read reader real recursive refactor reference refresh regex region register relationship release remove rename ' +
      'render replay reply report repository request reset resource response rest restore result return route router ' +
      'row rule run schedule scheduler schema scope screen script scroll search section select sequential serialize server ' +
      'service setting shell show site size slow socket sort source split sql stack stale standard start state static ' +
      'statistic stats status step stock stop storage store stream string style submit suggest suggestion sum summary swap ' +
      'switch syntax system table tag target task template terminal test text theme thread time timeout timer timestamp ' +
      'title toggle tool top total track train transaction transfer transition tree trial trigger tutorial twice type ui ' +
      'unit update upgrade url usage utility validate value variable vector version view visibility walk web week widget ' +
      'width window word work worker workflow xml year zip balance withdraw room edge lookup counter memoize spreadsheet ' +
      'share sharing injection dependency once another package prefix remind memory lock reserve claim seat photo ' +
      'revenue relay ticker stage presence scan license credit voucher bid purge signature silo excel consumer ' +
      'kick pretend channel broadcast hook session token',
  ),
)

/** Words of applications that have users: they make a generic word a sign. */
export const DOMAIN: ReadonlySet<string> = new Set(
  wordsOf(
    'account admin administrator agency auth authenticated authentication authorization authorize booking bookings ' +
      'buyer case client colleague company contract contractor crm customer doctor editor employee endpoint guest hr invoice ' +
      'login manager member membership merchant moderator order org organization owner partner password patient payment ' +
      'people permission permissions person portal privilege receipt record right role salary seller session signed ' +
      'staff student subscriber supplier support teacher team ticket token user vendor viewer visitor workspace ' +
      'logged signin signup school pupil shop clinic listing appointment expense claim loan bill payroll purchase ' +
      'subscription colleague lead forum thread board reviewer applicant candidate',
  ),
)
