// How each sample is attacked and used, by the id of the mitigation that it shows.
import { scenarios as credentials } from './scenarios/credentials.js'
import { scenarios as functions } from './scenarios/functions.js'
import { scenarios as objects } from './scenarios/objects.js'
import { scenarios as rules } from './scenarios/rules.js'
import { scenarios as sockets } from './scenarios/sockets.js'

export const scenarios = { ...objects, ...functions, ...credentials, ...rules, ...sockets }
