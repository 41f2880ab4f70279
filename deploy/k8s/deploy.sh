#!/usr/bin/env bash
# Installs or upgrades one overlay in the only safe order: migration, workers, api pods. It stops at the first step that
# fails, and leaves the later steps as they were.
#
#   deploy/k8s/deploy.sh deploy/k8s/overlays/production
#
# Environment:
#   API_PODS, WORKERS   pods of the first deployment (default 3 and 2). Later deployments keep the present numbers.
#   MIGRATION_TIMEOUT   how long the migration may take (default 3600s)
#   ROLLOUT_TIMEOUT     how long each rollout may take (default 1800s)
set -euo pipefail

overlay=${1:?usage: deploy.sh OVERLAY}
label=rollout-step
rendered=$(mktemp)
trap 'rm -f "$rendered"' EXIT
say() { printf 'deploy: %s\n' "$*" >&2; }

apply() { kubectl apply --filename "$rendered" --selector "$1"; }

# roll STEP DEPLOYMENT COUNT: applies one Deployment and waits until all its pods have the new version.
roll() {
  local is_new=
  "${in_namespace[@]}" get deployment "$2" >/dev/null 2>&1 || is_new=1
  apply "$label=$1"
  [[ -z $is_new ]] || "${in_namespace[@]}" scale deployment "$2" --replicas "$3"
  if ! "${in_namespace[@]}" rollout status deployment "$2" --timeout "${ROLLOUT_TIMEOUT:-1800s}"; then
    say "$2 did not become available. To go back: ${in_namespace[*]} rollout undo deployment $2"
    exit 1
  fi
}

kubectl kustomize "$overlay" >"$rendered"
if grep --quiet --fixed-strings 192.0.2. "$rendered"; then
  say "$overlay still has an address of the example (192.0.2.…): change the lines marked with CHANGE"
  exit 78
fi
namespace=$(kubectl create --dry-run=client --filename "$rendered" --selector "$label=migration" --output 'jsonpath={.metadata.namespace}')
in_namespace=(kubectl --namespace "$namespace")

if kubectl get namespace "$namespace" >/dev/null 2>&1; then
  # The server checks every object first: a misspelt field changes nothing. The Job cannot be checked beside its
  # predecessor.
  kubectl apply --dry-run=server --filename "$rendered" --selector "$label!=migration" >/dev/null
fi

say 'objects without pods'
apply "$label notin (migration, worker, api)"

say 'migration'
# The pods of a Job cannot be changed, so each deployment makes a new Job.
"${in_namespace[@]}" delete job widget-migration --ignore-not-found --cascade=foreground
apply "$label=migration"
# `kubectl wait` cannot wait for one of two conditions. A failed Job must not hold up its operator for an hour.
"${in_namespace[@]}" wait job widget-migration --for=condition=Failed --timeout "${MIGRATION_TIMEOUT:-3600s}" >/dev/null 2>&1 &
failed=$!
"${in_namespace[@]}" wait job widget-migration --for=condition=Complete --timeout "${MIGRATION_TIMEOUT:-3600s}" &
complete=$!
wait -n "$failed" "$complete" || true
kill "$failed" "$complete" 2>/dev/null || true
if [[ $("${in_namespace[@]}" get job widget-migration --output 'jsonpath={.status.succeeded}') != 1 ]]; then
  say "the migration did not succeed. No worker and no api pod was changed. Its log: ${in_namespace[*]} logs job/widget-migration"
  exit 1
fi

say 'workers'
roll worker widget-worker "${WORKERS:-2}"
say 'api pods'
roll api widget-api "${API_PODS:-3}"
say 'done'
