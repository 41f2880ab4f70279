/**
 * The scenarios that run on containers of the image where Docker must be there (REQUIRE_DOCKER=1), and otherwise on
 * processes. They are black boxes: they reach the service by HTTP alone, and change no option of a component.
 */
export const scenariosOnContainers = [
  'first-minute-commands-work-as-printed',
  'generated-client-creates-and-lists',
  'pod-drains',
].map((name) => `test/scenarios/${name}.test.ts`);

/** Those that need not run on processes as well. */
export const notOnProcesses = process.env.REQUIRE_DOCKER === '1' ? scenariosOnContainers : [];
