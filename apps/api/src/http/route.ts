import type {
  ContextConfigDefault,
  FastifyContextConfig,
  FastifyInstance,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import type { ZodTypeProvider } from './zod-validation.ts';

/**
 * What a route does. Its method, its path, who may call it and its audit action are in the one table of routes
 * (`process/routes.ts`).
 */
export interface Route
  extends Pick<RouteOptions, 'schema' | 'handler' | 'onRequest' | 'preValidation' | 'onResponse' | 'errorHandler'> {
  readonly config?: FastifyContextConfig;
  /** Called when the app closes. */
  readonly onClose?: () => Promise<void>;
}

/** Fastify's handler, typed by the zod schemas of its route. */
type TypedHandler<Schema extends FastifySchema, Generic extends RouteGenericInterface> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Generic,
  ContextConfigDefault,
  Schema,
  ZodTypeProvider
>;

/** Defines a route: the handler gets the request as the schema parses it. */
export function defineRoute<
  const Schema extends FastifySchema,
  Generic extends RouteGenericInterface = RouteGenericInterface,
>(
  route: Omit<Route, 'schema' | 'handler'> & {
    readonly schema: Schema;
    readonly handler: TypedHandler<Schema, Generic>;
  },
): Route {
  return route as unknown as Route;
}

interface RouteAddress {
  /** Separated by spaces. */
  readonly methods: string;
  readonly path: string;
  /** Who may call it, and what its audit event is. */
  readonly access: FastifyContextConfig;
  /** The largest body, in bytes. Default: the limit of the server. */
  readonly bodyLimit?: number;
}

/** Registers a route. */
export function registerRoute(
  app: FastifyInstance,
  { methods, path, access, bodyLimit }: RouteAddress,
  { onClose, config, ...route }: Route,
): void {
  const limit = bodyLimit === undefined ? {} : { bodyLimit };
  app.route({ method: methods.split(' '), url: path, ...limit, ...route, config: { ...config, ...access } });
  if (onClose !== undefined) app.addHook('onClose', onClose);
}
