import { memoryCredentials } from '@causeway/engine/client'
import { credentialStoreContract } from '@causeway/engine/testing'
import { runContract } from '../../support/contract.ts'

runContract('credentials in memory', credentialStoreContract, { open: memoryCredentials, join: store => store })
