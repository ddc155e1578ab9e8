export { Guardian } from '@causeway/engine/process'
