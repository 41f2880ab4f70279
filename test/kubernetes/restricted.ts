/** The security context of a container that the Pod Security Standard `restricted` of the namespace admits. */
export const restricted = {
  ...{ runAsNonRoot: true, runAsUser: 1000, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
  ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
};
