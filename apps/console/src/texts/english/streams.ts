export const streams = {
  title: 'Streams',
};
