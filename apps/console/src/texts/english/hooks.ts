export const hooks = {
  title: 'Hooks',
};
