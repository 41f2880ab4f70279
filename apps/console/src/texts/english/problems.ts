export const problems = {
  unreachableTitle: 'The service did not answer',
  unreachable: 'The network or the service is interrupted. Nothing that you typed is lost.',
  unexpectedTitle: 'Something else has answered',
  unexpected: (status: number) => `The response ${status} does not come from the service. A proxy may have sent it.`,
};
