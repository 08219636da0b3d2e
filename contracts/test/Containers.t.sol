// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {vm} from "./support/Vm.sol";

contract ContainersTest is TenantTest {
    function test_packingPutsLotsIntoTheContainer() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        TenantLots.LotView memory lot = lots.lotOf(id);
        equal(lot.status, AGGREGATED, "status");
        equal(lot.containerTokenId, box, "container");
        equal(lot.remaining, 5, "remaining");
        equal(lots.lotOf(box).depth, 1, "depth");
        equal(lots.ownerOf(id), address(lots), "owner of a content");
        equal(lots.balanceOf(farm), 1, "the container only");
        equal(lots.balanceOf(address(lots)), 1, "the content");
    }

    function test_contentsFollowTheirContainerThroughEightLevels() public {
        uint256 id = mint(farm, 5);
        uint256 box = nest(id, 8);
        equal(lots.lotOf(box).depth, 8, "depth");
        uint256 no = offer(farm, box, mill);
        equal(lots.custodianOf(id), farm, "not before acceptance");
        accept(mill, no, box);
        equal(lots.custodianOf(id), mill, "accepted");
        for (; box > id; --box) {
            unpack(mill, box);
        }
        equal(status(id), ACTIVE, "free");
        use(mill, id, ALL);
        equal(status(id), CONSUMED, "used where it arrived");
    }

    function test_aNinthLevelIsRefused() public {
        uint256 box = nest(mint(farm, 5), 8);
        refuses(farm, packCall(box, farm), abi.encodeWithSelector(TenantLots.NestingTooDeep.selector, box));
    }

    function test_theDeepestContentSetsTheDepth() public {
        uint256 box = nest(mint(farm, 5), 2);
        uint256 loose = mint(farm, 5);
        equal(lots.lotOf(pack(farm, two(box, loose))).depth, 3, "depth");
    }

    function test_aContentCannotBeTouchedAlone() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        bytes memory why = contained(id, box);
        refuses(farm, useCall(id, 1), why);
        refuses(farm, packCall(id, farm), why);
        refuses(farm, offerCall(id, mill), why);
        refuses(farm, retireCall(id, ALL, DISPOSED), why);
        refuses(farm, transferCall(farm, mill, id), why);
        refuses(farm, transferCall(address(lots), mill, id), why);
        refuses(outsider, abi.encodeCall(TenantLots.settle, (one(id))), why);
    }

    function test_aContainerCannotBeUsedOrPutIntoItsOwnContent() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        refuses(farm, useCall(box, ALL), abi.encodeWithSelector(TenantLots.IsContainer.selector, box));
        refuses(farm, packCall(id, farm), contained(id, box));
        uint256 future = lots.nextTokenId();
        bytes memory intoItself = recordCall(two(box, future), none(), output(farm, 0), 1);
        refuses(farm, intoItself, abi.encodeWithSelector(TenantLots.UnknownLot.selector, future));
    }

    function test_contentsOfABrokenContainerAreFreeAtItsLastCustodianBeforeTheyAreSettled() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        handOver(farm, box, mill);
        unpack(mill, box);
        TenantLots.LotView memory lot = lots.lotOf(id);
        equal(lot.status, ACTIVE, "status");
        equal(lot.rawStatus, AGGREGATED, "not written yet");
        equal(lot.containerTokenId, 0, "container");
        equal(lot.custodian, mill, "custodian");
        equal(lots.ownerOf(id), address(lots), "ERC-721 lags behind");
        equal(status(box), RETIRED, "the container");
        equal(lots.lotOf(box).reason, UNPACKED, "its reason");
    }

    function test_anybodyMaySettleWhatABrokenContainerImplies() public {
        uint256 id = mint(farm, 5);
        unpack(farm, pack(farm, id));
        vm.prank(outsider);
        lots.settle(one(id));
        equal(lots.ownerOf(id), farm, "owner");
        equal(lots.lotOf(id).rawStatus, ACTIVE, "written");
        equal(lots.balanceOf(farm), 2, "the lot and the empty container");
        equal(lots.balanceOf(address(lots)), 0, "vault");
    }

    function test_settlingTwiceChangesNothing() public {
        uint256 id = mint(farm, 5);
        unpack(farm, pack(farm, id));
        lots.settle(two(id, id));
        uint256 word = lots.lotWord(id);
        lots.settle(one(id));
        equal(lots.lotWord(id), word, "word");
        equal(lots.balanceOf(farm), 2, "balance");
    }

    function test_aContainerMovesDirectlyWithItsContents() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        directReceipt(shop, true);
        transfer(farm, box, shop);
        equal(lots.custodianOf(id), shop, "content");
    }

    function test_packingKeepsCustody() public {
        uint256 mine = mint(farm, 5);
        uint256 theirs = mint(mill, 5);
        bytes memory toAnother = packCall(mine, mill);
        refuses(farm, toAnother, abi.encodeWithSelector(TenantLots.MixedCustody.selector, mine));
        approveAll(mill, farm, true);
        bytes memory mixed = recordCall(two(mine, theirs), none(), output(farm, 0), 1);
        refuses(farm, mixed, abi.encodeWithSelector(TenantLots.MixedCustody.selector, theirs));
    }

    function test_aSoldContainerTakesItsContentsAlong() public {
        uint256 id = mint(farm, 5);
        uint256 box = nest(id, 2);
        retire(farm, box, ALL, SOLD);
        TenantLots.LotView memory lot = lots.lotOf(id);
        equal(lot.status, RETIRED, "status");
        equal(lot.reason, SOLD, "reason");
        equal(lot.remaining, 5, "with its quantity");
        equal(lot.containerTokenId, 0, "container");
        refuses(farm, useCall(id, 1), contained(id, box - 1));
        refuses(outsider, abi.encodeCall(TenantLots.settle, (one(id))), contained(id, box - 1));
        refuses(farm, unpackCall(box), notActive(box, RETIRED));
    }

    function test_anEmptiedInnerContainerIsFreeWhenTheOuterIsBroken() public {
        uint256 id = mint(farm, 5);
        uint256 outer = nest(id, 2);
        unpack(farm, outer);
        equal(status(outer - 1), ACTIVE, "inner container");
        equal(status(id), AGGREGATED, "still in the inner one");
        unpack(farm, outer - 1);
        equal(status(id), ACTIVE, "free");
    }

    /// Each level is one id above the one inside.
    function nest(uint256 id, uint256 levels) private returns (uint256 box) {
        box = id;
        for (uint256 i; i < levels; ++i) {
            box = pack(farm, box);
        }
    }
}
