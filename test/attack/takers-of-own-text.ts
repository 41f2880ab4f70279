/**
 * Functions with a text that the service itself has made or has checked before, that its operator has set, or that one
 * of the parsers reads. Not listed here and not above: the test of the parsers fails.
 */
export const takersOfOwnText: readonly string[] = `
  redirectPage computeCsrfToken toNotVerified toRefusedError makeProviderFetch formatSessionCookie
  toPublicUrl buildProblem withinRequestDeadline toDeliveryBody toDeliveryText toSessionBody coalesceItems
  deriveCreationEventId sealSecrets sealText unsealKeys sealAgain encryptText toKeptContent toUuidV8 buildWidget
  signHook ensureServiceKey storePositionIn nameHostCookie listenPublicly checkDuration checkCount
  describeInterface findTag listTags describeFirstAdmin makeHashText describeMessages defineFile
  findStreamEntitlement verifyStreamSession verifyStreamToken recordStreamEnd createPendingSignIns openByFetch
  formatMetrics notFound requireFound requireId requireById
`
  .trim()
  .split(/\s+/);
