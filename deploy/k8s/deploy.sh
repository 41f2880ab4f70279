#!/usr/bin/env bash
# Installs or upgrades one overlay in the only safe order: migration, workers, api pods. It stops at the first step that
# fails, and leaves the later steps as they were. A new pod that has not been able to start for half a minute is a
# failure, too: the script says why, for example that there is no such image. While it waits, it prints each warning of
# Kubernetes about these pods: what they wait for may still come.
#
# Before it changes anything, it asks for the Secrets, ConfigMaps and classes that the pods need. Before the migration,
# it asks whether a quota or an admission rule would refuse the pods.
#
#   deploy/k8s/deploy.sh deploy/k8s/overlays/production
#
# Environment:
#   API_PODS, WORKERS   pods of the first deployment (default 3 and 2). Later deployments keep the present numbers.
#   MIGRATION_TIMEOUT   how long the migration may take (default 1h)
#   ROLLOUT_TIMEOUT     how long each rollout may take (default 30m)
set -euo pipefail

overlay=${1:?usage: deploy.sh OVERLAY}
label=rollout-step
rendered=$(mktemp)
trap 'rm -f "$rendered"' EXIT
say() { printf 'deploy: %s\n' "$*" >&2; }

# to_seconds DURATION: prints the seconds of a duration as kubectl takes it: 90s, 15m, 1h30m.
to_seconds() {
  local rest=$1 total=0 unit
  while [[ $rest =~ ^([0-9]+)([hms])(.*)$ ]]; do
    case ${BASH_REMATCH[2]} in h) unit=3600 ;; m) unit=60 ;; s) unit=1 ;; esac
    total=$((total + 10#${BASH_REMATCH[1]} * unit))
    rest=${BASH_REMATCH[3]}
  done
  if [[ -n $rest || $total == 0 ]]; then
    say "\"$1\" is no duration such as 90s, 15m or 1h30m"
    return 78
  fi
  printf '%d' "$total"
}
migration_seconds=$(to_seconds "${MIGRATION_TIMEOUT:-1h}")
rollout_seconds=$(to_seconds "${ROLLOUT_TIMEOUT:-30m}")

apply() { kubectl apply --filename "$rendered" --selector "$1"; }

# Kubernetes tries such a container again for ever, and reports nothing of it by an exit code.
cannot_start=' (ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|CreateContainer(Config)?Error|RunContainerError|CrashLoopBackOff): '
pod_lines='{range .items[*]}{.metadata.name}{range .status.containerStatuses[*]}{" "}{.state.waiting.reason}{": "}{.state.waiting.message}{end}{"\n"}{end}'

# tell_warnings PREFIX SINCE: prints the warnings about the objects with names that begin with PREFIX, from SINCE on (as
# the server writes times). Each one once for all pods. A probe may fail while a container starts.
told=
tell_warnings() {
  local line key
  while IFS= read -r line; do
    key=${line#* }
    [[ -z $line || $told == *"|$key|"* ]] || say "${line%% *} ${key}"
    told+="|$key|"
  done < <("${in_namespace[@]}" get events --field-selector type=Warning --output \
    'jsonpath={range .items[*]}{.lastTimestamp}{"\t"}{.eventTime}{"\t"}{.involvedObject.kind}/{.involvedObject.name}{"\t"}{.reason}{"\t"}{.message}{"\n"}{end}' |
    awk -F '\t' -v prefix="$1" -v since="$2" 'NF >= 5 {
      split($3, object, "/"); at = $1 == "" ? $2 : $1
      if (index(object[2], prefix) != 1 || substr(at, 1, 19) < substr(since, 1, 19) || $4 == "Unhealthy") next
      text = $5; gsub(object[2], object[1], text); gsub(prefix "[a-z0-9-]*", object[1], text)
      print $3 " " $4 ": " text
    }')
}

# watch_pods SELECT SECONDS CHECK…: runs CHECK every 2 s until it succeeds. Fails if CHECK exits with 2, after SECONDS,
# or once pods have not been able to start for 30 s. SELECT prints the labels of these pods. A pod that ends at its
# start is tried again and runs for a moment, so an obstacle counts as gone only when a minute has passed without it.
watch_pods() {
  local select=$1 end=$((SECONDS + $2)) first=0 last=-60 status obstacles owner
  shift 2
  while ((SECONDS < end)); do
    status=0
    "$@" || status=$?
    ((status != 0)) || return 0
    ((status != 2)) || return 1
    owner=$("${in_namespace[@]}" get jobs,replicasets --output \
      'jsonpath={range .items[*]}{.metadata.name} {.metadata.creationTimestamp} job-name={.metadata.name} pod-template-hash={.metadata.labels.pod-template-hash}{"\n"}{end}' |
      grep --word-regexp --fixed-strings -- "$($select)" | head --lines 1) || owner=
    # shellcheck disable=SC2086
    [[ -z $owner ]] || tell_warnings $owner
    obstacles=$("${in_namespace[@]}" get pods --selector "$($select)" --output "jsonpath=$pod_lines" |
      grep --extended-regexp "$cannot_start") || true
    if [[ -n $obstacles ]]; then
      ((SECONDS - last < 60)) || first=$SECONDS
      last=$SECONDS
      if ((SECONDS - first >= 30)); then
        explain "$obstacles"
        return 1
      fi
    fi
    sleep 2
  done
  return 1
}

# explain OBSTACLES: prints them, with the events and the last lines of the log of the first pod.
explain() {
  local pod=${1%% *}
  say "pods cannot start:"
  {
    printf '%s\n' "$1"
    "${in_namespace[@]}" get events --field-selector "involvedObject.name=$pod,type=Warning" \
      --output 'jsonpath={range .items[*]}{.reason}{": "}{.message}{"\n"}{end}'
    "${in_namespace[@]}" logs "$pod" --previous --tail 5 2>/dev/null || true
  } >&2
}

select_migration() { printf 'job-name=widget-migration'; }
migration_status() { "${in_namespace[@]}" get job widget-migration --output "jsonpath={.status.$1}"; }
# Exits with 0 if the migration has succeeded, with 2 if it has failed, and with 1 while it runs.
check_migration() {
  [[ $(migration_status succeeded) != 1 ]] || return 0
  [[ $(migration_status 'conditions[?(@.type=="Failed")].status') != True ]] || return 2
  return 1
}

# Only the pods of the newest version: those of the version before may be what this deployment mends.
select_newest_workers() { select_newest widget-worker; }
select_newest_api() { select_newest widget-api; }
select_newest() {
  local revision='{.metadata.annotations.deployment\.kubernetes\.io/revision}' newest
  newest=$("${in_namespace[@]}" get deployment "$1" --output "jsonpath=$revision")
  printf 'pod-template-hash=%s' "$("${in_namespace[@]}" get replicasets --output \
    "jsonpath={range .items[*]}{.metadata.ownerReferences[0].name} $revision {.metadata.labels.pod-template-hash}{'\n'}{end}" |
    awk -v name="$1" -v newest="$newest" '$1 == name && $2 == newest { print $3 }')"
}
# Exits with 0 if all pods of a Deployment have its newest version and are available, and with 1 until then. Exits with
# 2 if Kubernetes has given up. A server that does not answer for a moment is no failure. Prints each progress.
shown=
check_rollout() {
  local status
  if ! status=$("${in_namespace[@]}" rollout status deployment "$1" --watch=false 2>&1); then
    printf '%s\n' "$status" >&2
    [[ $status != *'exceeded its progress deadline'* ]] || return 2
    return 1
  fi
  [[ $status == "$shown" ]] || printf '%s\n' "$status"
  shown=$status
  [[ $status == *'successfully rolled out'* ]]
}

# roll STEP DEPLOYMENT COUNT SELECT: applies one Deployment and waits until all its pods have the new version.
roll() {
  local is_new=
  "${in_namespace[@]}" get deployment "$2" >/dev/null 2>&1 || is_new=1
  apply "$label=$1"
  [[ -z $is_new ]] || "${in_namespace[@]}" scale deployment "$2" --replicas "$3"
  if ! watch_pods "$4" "$rollout_seconds" check_rollout "$2"; then
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

# find_needs: prints what the pods and volumes of the overlay need, as `secret NAME`. Nothing that is optional.
find_needs() {
  local source='{{if not .optional}}'
  { cat "$rendered" && echo ---; } |
    awk '{ text = text $0 "\n" } /^kind: (Deployment|Job|StatefulSet)$/ { is_wanted = 1 }
      /^---$/ { if (is_wanted) printf "%s", text; text = ""; is_wanted = 0 }' |
    kubectl create --dry-run=client --filename - --output "go-template={{with .spec.template.spec}}\
{{with .priorityClassName}}priorityclass {{.}}{{\"\n\"}}{{end}}\
{{range .imagePullSecrets}}secret {{.name}}{{\"\n\"}}{{end}}\
{{range .volumes}}{{with .secret}}${source}secret {{.secretName}}{{\"\n\"}}{{end}}{{end}}\
{{with .configMap}}${source}configmap {{.name}}{{\"\n\"}}{{end}}{{end}}\
{{with .projected}}{{range .sources}}{{with .secret}}${source}secret {{.name}}{{\"\n\"}}{{end}}{{end}}\
{{with .configMap}}${source}configmap {{.name}}{{\"\n\"}}{{end}}{{end}}{{end}}{{end}}{{end}}\
{{range .containers}}{{range .envFrom}}{{with .secretRef}}${source}secret {{.name}}{{\"\n\"}}{{end}}{{end}}\
{{with .configMapRef}}${source}configmap {{.name}}{{\"\n\"}}{{end}}{{end}}{{end}}\
{{range .env}}{{with .valueFrom}}{{with .secretKeyRef}}${source}secret {{.name}}{{\"\n\"}}{{end}}{{end}}\
{{with .configMapKeyRef}}${source}configmap {{.name}}{{\"\n\"}}{{end}}{{end}}{{end}}{{end}}{{end}}{{end}}\
{{range .spec.volumeClaimTemplates}}{{with .spec.storageClassName}}storageclass {{.}}{{\"\n\"}}{{end}}{{end}}" | sort -u
}
# What the overlay itself brings, in the same words. An ExternalSecret or a SealedSecret becomes a Secret.
find_brought() {
  awk '/^---$/ { kind = ""; in_metadata = 0 }
    /^kind: / { kind = tolower($2); sub(/^.*secret$/, "secret", kind) }
    /^[a-z]/ { in_metadata = $1 == "metadata:" }
    in_metadata && /^  name: / { print kind " " $2 }' "$rendered"
}
missing=
while read -r kind name; do
  # Who may not read it learns nothing here.
  if [[ $("${in_namespace[@]}" get "$kind" "$name" 2>&1 >/dev/null) == *NotFound* ]]; then
    say "$kind $name is missing (namespace $namespace): create it first. Nothing was changed"
    missing=1
  fi
done < <(comm -23 <(find_needs) <(find_brought | sort -u))
[[ -z $missing ]] || exit 78

if kubectl get namespace "$namespace" >/dev/null 2>&1; then
  # The server checks every object first: a misspelt field changes nothing. The Job cannot be checked beside its
  # predecessor.
  kubectl apply --dry-run=server --filename "$rendered" --selector "$label!=migration" >/dev/null
fi

say 'objects without pods'
apply "$label notin (migration, worker, api)"

# A quota or an admission rule refuses pods, not the Job or the Deployment that asks for them. So ask for each as a pod.
for step in migration worker api; do
  read_template() {
    kubectl create --dry-run=client --filename "$rendered" --selector "$label=$step" --output "jsonpath=$1"
  }
  metadata="{\"name\":\"widget-question\",\"labels\":$(read_template '{.spec.template.metadata.labels}')}"
  if ! refusal=$(printf '{"apiVersion":"v1","kind":"Pod","metadata":%s,"spec":%s}' "$metadata" \
    "$(read_template '{.spec.template.spec}')" |
    "${in_namespace[@]}" create --dry-run=server --filename - 2>&1 >/dev/null) &&
    [[ $refusal != *'cannot create resource'* ]]; then
    say "the pods of the $step would be refused. No pod was changed: $refusal"
    exit 1
  fi
done

say 'migration'
# The pods of a Job cannot be changed, so each deployment makes a new Job.
"${in_namespace[@]}" delete job widget-migration --ignore-not-found --cascade=foreground
apply "$label=migration"
if ! watch_pods select_migration "$migration_seconds" check_migration; then
  say "the migration did not succeed. No worker and no api pod was changed. Its log: ${in_namespace[*]} logs job/widget-migration"
  exit 1
fi

say 'workers'
roll worker widget-worker "${WORKERS:-2}" select_newest_workers
say 'api pods'
roll api widget-api "${API_PODS:-3}" select_newest_api
say 'done'
