/** What we can do as a client: read. Edits come back as answers, and are judged before anything is written. */
export const CAPABILITIES: Readonly<Record<string, unknown>> = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    applyEdit: false,
    workspaceEdit: { documentChanges: true, resourceOperations: [], failureHandling: 'abort' },
    didChangeWatchedFiles: { dynamicRegistration: true },
    didChangeConfiguration: { dynamicRegistration: false },
  },
  textDocument: {
    synchronization: { dynamicRegistration: false },
    publishDiagnostics: { relatedInformation: false, versionSupport: true, codeDescriptionSupport: false },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
    references: {},
    definition: { linkSupport: false },
    hover: { contentFormat: ['plaintext', 'markdown'] },
    rename: { prepareSupport: false, honorsChangeAnnotations: false },
  },
}
