export const problems = {
  unreachableTitle: 'The service did not answer',
  unreachable: 'The network or the service is interrupted. Nothing that you typed is lost.',
  unexpectedTitle: 'Something else has answered',
  invalidTitle: 'This cannot be sent',
};
