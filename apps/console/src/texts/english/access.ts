export const access = {
  title: 'Access',
};
